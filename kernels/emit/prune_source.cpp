#include "kernels/emit/prune_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/emit/fold.h"
#include "kernels/emit/tidy.h"
#include "kernels/emit/tokens.h"

namespace tilecast {
namespace {

struct Item {
  enum Kind { kFunction, kType, kVariable, kAlias, kOther };

  Kind kind = kOther;
  std::vector<std::string> names;
  std::string space;     // namespace
  std::size_t part = 0;  // of the sources
  Tokens lead, tokens;   // comments above; of a class up to its {
  std::vector<Item> members;
  bool is_class = false, is_enum = false, is_static = false, deleted = false;
  std::vector<std::string> specialises;  // of a partial specialisation the arguments
  std::vector<std::string> parameters;   // of the template
  std::vector<std::string> defaults;     // of these, "" where there is none
  std::size_t least = 0, most = 0;       // arguments
  bool reached = false;

  bool is_access() const { return kind == kOther && tokens.size() == 2 && tokens[1].is(":"); }
  bool is_field() const { return kind == kVariable && !is_static; }
  bool is_empty() const {
    return kind == kFunction && tokens.size() > 2 && tokens.back().is("}") &&
           tokens[tokens.size() - 2].is("{");
  }
};

class Parser {
 public:
  Parser(const Tokens& tokens, std::size_t part) : in_(tokens), part_(part) {}

  std::vector<Item> items(std::size_t begin, std::size_t end, const std::string& space,
                          const std::string& of_class) {
    std::vector<Item> found;
    std::size_t at = begin;
    while (at < end) {
      Item item;
      item.space = space;
      item.part = part_;
      while (at < end && in_[at].kind == TokenKind::kComment) {
        const bool apart = in_[at].before.find("\n\n") != std::string::npos;
        if (apart) {
          item.lead.clear();  // a comment of something else
        }
        item.lead.push_back(in_[at++]);
      }
      if (at == end) {
        break;
      }
      if (in_[at].is("namespace")) {
        std::string inner = space;
        while (!in_[++at].is("{")) {
          inner += in_[at].is("::") ? "" : (inner.empty() ? "" : "::") + in_[at].text;
        }
        const std::size_t close = behind_bracket(in_, at);
        for (Item& one : items(at + 1, close - 1, inner, "")) {
          found.push_back(one);
        }
        at = close;
        continue;
      }
      one(item, at, end, of_class);
      while (at < end && in_[at].kind == TokenKind::kComment && !in_[at].starts_line()) {
        (item.is_class ? item.members.back().tokens : item.tokens).push_back(in_[at++]);
      }
      if (item.kind != Item::kOther || item.is_access()) {
        found.push_back(item);
      }
    }
    return found;
  }

 private:
  Tokens taken(std::size_t begin, std::size_t end) const {
    return {in_.begin() + static_cast<std::ptrdiff_t>(begin),
            in_.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  void template_head(Item& item, std::size_t& at) const {
    const std::size_t close = behind_angle(in_, at + 1);
    std::string name, fallback;
    bool has = false;
    int depth = 0;
    for (std::size_t i = at + 2; i < close; ++i) {
      depth += in_[i].is("<") ? 1 : in_[i].is(">") ? -1 : 0;
      if ((in_[i].is(",") && depth == 0) || i + 1 == close) {
        item.parameters.push_back(name);
        item.defaults.push_back(has ? fallback : "");
        has = false;
        fallback.clear();
      } else if (in_[i].is("=")) {
        has = true;
      } else if (!has) {
        name = in_[i].text;
      } else if (!in_[i].is("typename")) {
        fallback += in_[i].text;
      }
    }
    at = close;
  }

  void one(Item& item, std::size_t& at, std::size_t end, const std::string& of_class) {
    const std::size_t begin = at;
    if (at + 1 < end && in_[at + 1].is(":") && (in_[at].is("public") || in_[at].is("private"))) {
      item.tokens = taken(at, at + 2);
      at += 2;
      return;
    }
    std::size_t i = at;
    while (in_[i].is("template")) {
      template_head(item, i);
    }
    if (in_[i].is("requires")) {
      i = behind_bracket(in_, i + 1);
    }
    const std::size_t head = i;
    const bool type = in_[i].is("struct") || in_[i].is("class") || in_[i].is("enum");
    std::size_t open = 0, name = 0, stop = 0;
    bool equals = false;
    for (; i < end && stop == 0; ++i) {
      const Token& t = in_[i];
      if (t.is("<") && i > head && !equals && (in_[i - 1].kind == TokenKind::kWord)) {
        i = behind_angle(in_, i) - 1;
      } else if (t.is("=")) {
        equals = true;
      } else if (t.is(";")) {
        stop = i + 1;
      } else if (t.is("(") && open == 0 && !equals && !type) {
        const std::string& before = in_[i - 1].text;
        if (before != "__launch_bounds__" && before != "__align__" && before != "alignas") {
          open = i;
          name = i - 1;
        }
        i = behind_bracket(in_, i) - 1;
      } else if (t.is("{") && open != 0 && !equals) {
        stop = behind_bracket(in_, i);  // a body
      } else if (opens(t)) {
        if (t.is("{") && type && item.members.empty() && !item.is_class) {
          class_body(item, head, i);
        }
        i = behind_bracket(in_, i) - 1;
      }
    }
    at = stop == 0 ? end : stop;
    if (in_[head].is("static_assert") || in_[head].is("friend")) {
      return;
    }
    item.is_static = in_[head].is("static");
    if (type) {
      item.kind = Item::kType;
      item.is_enum = in_[head].is("enum");
      std::size_t n = head + 1;
      while (in_[n].is("class") || in_[n].is("alignas")) {
        n = in_[n].is("alignas") ? behind_bracket(in_, n + 1) : n + 1;
      }
      item.names = {in_[n].text};
      if (in_[n + 1].is("<")) {
        specialisation(item, n + 1);
      }
      if (!item.is_class) {
        item.tokens = taken(begin, at);  // an enum, or a declaration
      } else {
        Item tail;
        tail.kind = Item::kOther;
        const std::size_t close = behind_bracket(in_, begin + item.tokens.size() - 1) - 1;
        tail.tokens = taken(close, at);
        item.members.push_back(tail);
      }
      return;
    }
    item.tokens = taken(begin, at);
    if (in_[head].is("using")) {
      item.kind = Item::kAlias;
      item.names = {in_[head + 1].text};
      return;
    }
    if (open != 0) {
      item.kind = Item::kFunction;
      std::string own = in_[name].text;
      for (std::size_t n = head; n < name; ++n) {
        if (in_[n].is("operator")) {
          own = "operator";
        }
      }
      item.names = {own};
      item.most = count_arguments(in_, open);
      item.least = item.most;
      for (std::size_t n = open + 1; n < behind_bracket(in_, open) - 1; ++n) {
        item.least -= in_[n].is("=") ? 1 : 0;
      }
      item.deleted = own == "operator" && in_[open - 1].is("==");
      if (own == of_class) {
        item.names = {"constructor"};
      }
      return;
    }
    item.kind = Item::kVariable;
    if (item.defaults.empty() || true) {
      for (std::size_t n = head + 1; n < at; ++n) {
        if (in_[n].is("<") && in_[n - 1].kind == TokenKind::kWord && in_[n].before.empty()) {
          n = behind_angle(in_, n) - 1;
          continue;
        }
        const bool ends =
            in_[n].is("=") || in_[n].is(";") || in_[n].is("[") || in_[n].is("{") || in_[n].is(",");
        if (ends && in_[n - 1].kind == TokenKind::kWord) {
          item.names.push_back(in_[n - 1].text);
        }
        if (in_[n].is("=")) {
          while (n < at && !in_[n].is(",") && !in_[n].is(";")) {
            n = opens(in_[n]) ? behind_bracket(in_, n) : n + 1;
          }
        } else if (opens(in_[n])) {
          n = behind_bracket(in_, n) - 1;
        }
      }
    }
  }

  void class_body(Item& item, std::size_t head, std::size_t open) {
    if (in_[head].is("enum")) {
      return;
    }
    std::size_t n = head + 1;
    while (in_[n].is("alignas")) {
      n = behind_bracket(in_, n + 1);
    }
    std::size_t begin = head;
    while (begin > 0 &&
           !(in_[begin - 1].is("}") || in_[begin - 1].is(";") || in_[begin - 1].is("{") ||
             in_[begin - 1].kind == TokenKind::kComment || in_[begin - 1].is(":"))) {
      --begin;
    }
    item.tokens = taken(begin, open + 1);
    item.is_class = true;
    item.members = items(open + 1, behind_bracket(in_, open) - 1, item.space, in_[n].text);
  }

  void specialisation(Item& item, std::size_t open) const {
    const std::size_t close = behind_angle(in_, open) - 1;
    std::string one;
    for (std::size_t i = open + 1; i <= close; ++i) {
      if (in_[i].is(",") || i == close) {
        item.specialises.push_back(one);
        one.clear();
      } else {
        one += in_[i].text;
      }
    }
  }

  const Tokens& in_;
  std::size_t part_;
};

/// Names that text refers to: "f/2" called with two arguments, "f" otherwise, ".m" and "C::m" of
/// members.
class References {
 public:
  explicit References(const std::set<std::string>& classes) : classes_(&classes) {}

  /// Whether something new is among them.
  bool add(const Tokens& tokens) {
    bool news = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != TokenKind::kWord) {
        continue;
      }
      const std::string& name = tokens[i].text;
      std::string prefix;
      if (i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"))) {
        prefix = ".";
      } else if (i > 0 && tokens[i - 1].is("::")) {
        prefix = prefix_of(class_before(tokens, i - 1));
      } else if (i > 1 && tokens[i - 1].is("template") && tokens[i - 2].is("::")) {
        prefix = prefix_of(class_before(tokens, i - 2));
      }
      std::size_t next = i + 1;
      next = behind_template_arguments(tokens, next);
      const bool called = next < tokens.size() && tokens[next].is("(");
      const std::string arity = called ? fmt::format("/{}", count_arguments(tokens, next)) : "";
      news = found_.insert(prefix + name + arity).second || news;
      news = found_.insert(prefix + name).second || news;
      if (!called && next > i + 1) {
        news = values_.insert(name).second || news;
      }
    }
    return news;
  }

  bool has(const std::string& reference) const { return found_.contains(reference); }
  /// Whether a function with this number of arguments may be meant. `name` with the prefix.
  bool calls(const std::string& name, std::size_t least, std::size_t most) const {
    for (std::size_t n = least; n <= most; ++n) {
      if (found_.contains(fmt::format("{}/{}", name, n))) {
        return true;
      }
    }
    return false;
  }
  void pass(const std::string& name) { values_.insert(name); }
  /// Passed on, not called.
  bool passes(const std::string& name) const { return values_.contains(name); }

 private:
  /// A member of a class, of a class that another name stands for, or of a namespace.
  std::string prefix_of(const std::string& name) const {
    static const std::set<std::string> kSpaces = {"tilecast", "ptx", "emitted", "std", "chrono"};
    return kSpaces.contains(name) ? "" : classes_->contains(name) ? name + "::" : ".";
  }

  /// The name before a ::, without template arguments.
  static std::string class_before(const Tokens& tokens, std::size_t colons) {
    std::size_t i = colons;
    if (i > 0 && tokens[i - 1].is(">")) {
      int depth = 0;
      do {
        --i;
        depth += tokens[i].is(">") ? 1 : tokens[i].is("<") ? -1 : 0;
      } while (depth != 0 && i > 0);
    }
    return i > 0 ? tokens[i - 1].text : "";
  }

  const std::set<std::string>* classes_;
  std::set<std::string> found_, values_;
};

/// Types and Config first, then instructions: their namespace is entered once.
std::vector<SourcePart> in_order(std::span<const SourcePart> parts) {
  std::vector<SourcePart> sorted(parts.begin(), parts.end());
  std::ranges::stable_sort(sorted, {}, [](const SourcePart& part) {
    return part.path.starts_with("model/") || part.path.starts_with("kernels/gemm/gemm_") ||
                   part.path == "configuration"
               ? 0
           : part.path.starts_with("kernels/ptx/") ? 1
                                                   : 2;
  });
  return sorted;
}

class Pruner {
 public:
  Pruner(std::span<const SourcePart> parts, const std::vector<std::string>& defined,
         const std::map<std::string, std::string>& values)
      : parts_(in_order(parts)) {
    for (const auto& [name, value] : values) {
      constants_[name] = constant_of(value);
    }
    std::string all;
    Tokens joined;
    // One text, so that macros of one part serve the next; a part begins with a mark.
    for (const SourcePart& part : parts_) {
      all += "\n//@\n" + part.text + "\n";
    }
    joined = preprocessed(tokens_of(all), defined, includes_);
    std::vector<Tokens> texts;
    for (const Token& token : joined) {
      if (token.is("//@")) {
        texts.emplace_back();
      } else {
        texts.back().push_back(token);
      }
    }
    headers_.resize(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Tokens& text = texts[i];
      std::size_t n = 0;
      while (n < text.size() && text[n].kind == TokenKind::kComment &&
             (n == 0 || text[n].before.find("\n\n") == std::string::npos)) {
        ++n;
      }
      if (n < text.size() && text[n].before.find("\n\n") == std::string::npos &&
          !text[n].is("namespace")) {
        n = 0;  // of a declaration
      }
      headers_[i].assign(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n));
      text.erase(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n));
      for (Item& item : Parser(text, i).items(0, text.size(), "", "")) {
        items_.push_back(item);
      }
    }
  }

  void prune(const std::vector<std::string>& roots) {
    for (const Item& item : items_) {
      // Members of those that have a base may be the base's.
      if (item.kind == Item::kType &&
          std::ranges::none_of(item.tokens, [](const Token& t) { return t.is(":"); })) {
        classes_.insert(item.names[0]);
      }
    }
    fold();
    specialise();
    for (int round = 0; round < 4; ++round) {
      reach(roots);
      drop_empty_calls();
      put_values();
      bind_template_arguments();
    }
    reach(roots);
    each_function([&](Item& f) { f.tokens = without_unread_names(f.tokens); });
    for (Item& item : items_) {
      without_config(item);
      for (Item& member : item.members) {
        without_config(member);
        for (Item& inner : member.members) {
          without_config(inner);
        }
      }
    }
  }

  PrunedSource text() const {
    std::string out, space;
    std::size_t part = parts_.size();
    const auto enter = [&](const std::string& next) {
      if (next == space) {
        return;
      }
      if (!space.empty()) {
        out += fmt::format("\n}}  // namespace {}\n", space);
      }
      if (!next.empty()) {
        out += fmt::format("\nnamespace {} {{\n", next);
      }
      space = next;
    };
    for (const Item& item : items_) {
      if (!item.reached) {
        continue;
      }
      if (item.part != part) {
        part = item.part;
        enter(item.space);
        out += header(part);
        const std::string first = written(item);
        const std::string code = first.substr(first.starts_with('\n') ? 1 : 0);
        out += (code.starts_with("//") ? "\n" : "") + code;
        continue;
      }
      enter(item.space);
      out += written(item);
    }
    enter("");
    std::vector<std::string> includes = includes_;
    std::ranges::sort(includes);
    includes.erase(std::unique(includes.begin(), includes.end()), includes.end());
    return {includes, tidy(out)};
  }

 private:
  void fold() {
    for (const Item& item : items_) {
      if (item.is_enum) {
        learn_enumerators(item);
      }
    }
    for (Item& item : items_) {
      const bool config = item.is_class && item.names[0] == "Config";
      for (Item& member : item.members) {
        if (config && member.kind == Item::kVariable) {
          learn_constants(member.tokens, "Config::", constants_);
        } else if (config && member.kind == Item::kAlias) {
          aliases_["Config::" + member.names[0]] = member.tokens[3].text;
        }
      }
      if (item.kind == Item::kVariable) {
        item.tokens = folded(item.tokens, constants_);
        learn_constants(item.tokens, "", constants_);
      }
    }
    const auto fold_one = [&](Item& item) {
      if (item.kind == Item::kFunction) {
        item.tokens = without_unused(folded(item.tokens, constants_of(item)));
      } else if (item.kind == Item::kVariable) {
        item.tokens = folded(item.tokens, constants_);
      }
    };
    for (Item& item : items_) {
      fold_one(item);
      std::ranges::for_each(item.members, fold_one);
    }
  }

  /// A template's parameters hide other declarations of their names.
  KnownValues constants_of(const Item& item) const {
    KnownValues constants = constants_;
    for (const std::string& name : item.parameters) {
      constants.erase(name);
    }
    return constants;
  }

  void learn_enumerators(const Item& item) {
    const Token* before = nullptr;  // no comment
    for (const Token& token : item.tokens) {
      if (token.kind == TokenKind::kComment) {
        continue;
      }
      if (token.kind == TokenKind::kWord && before != nullptr &&
          (before->is("{") || before->is(","))) {
        const std::string name = item.names[0] + "::" + token.text;
        constants_[name] = {name, std::nullopt};
      }
      before = &token;
    }
  }

  /// For a class with specialisations, the one that default arguments choose.
  void specialise() {
    for (Item& primary : items_) {
      if (primary.kind != Item::kType || !primary.specialises.empty() || primary.defaults.empty() ||
          primary.defaults.back().empty()) {
        continue;
      }
      const std::string& by = primary.defaults.back();
      std::string value = by;
      if (const auto found = aliases_.find(by); found != aliases_.end()) {
        value = found->second;
      } else if (const auto known = constants_.find(by); known != constants_.end()) {
        value = known->second.number == 0 ? "false" : "true";
      } else {
        continue;
      }
      Item* chosen = &primary;
      for (Item& other : items_) {
        if (!other.specialises.empty() && other.names == primary.names &&
            other.specialises.back() == value) {
          chosen = &other;
        }
      }
      for (Item& other : items_) {
        if (&other != chosen && other.names == primary.names && other.kind == Item::kType &&
            (!other.specialises.empty() || &other == &primary)) {
          other.deleted = true;
        }
      }
      chosen_.insert(primary.names[0]);
      if (chosen == &primary) {
        for (Item& member : primary.members) {
          replace(member.tokens, primary.parameters.back(), by);
        }
      }
    }
  }

  static void replace(Tokens& tokens, const std::string& name, const std::string& by) {
    for (Token& token : tokens) {
      if (token.kind == TokenKind::kWord && token.text == name) {
        token.text = by;
      }
    }
    tokens = tokens_of(text_of(tokens));
  }

  bool refers(const Item& item) const {
    const std::string& name = item.names[0];
    return item.kind == Item::kFunction
               ? references_.calls(name, item.least, item.most) || references_.passes(name)
               : std::ranges::any_of(item.names,
                                     [&](const std::string& n) { return references_.has(n); });
  }

  bool refers_member(const Item& of, const Item& member, const References& own) const {
    if (member.is_field() && (of.names[0] == "DeviceBuffers" || of.names[0] == "Findings")) {
      return std::ranges::any_of(
          member.names, [&](const std::string& name) { return references_.has("." + name); });
    }
    if (member.is_field() && of.names[0] == "GemmArgs") {
      // Offsets stay; members after the last one that is read go.
      const auto read = [&](const Item& field) {
        return field.is_field() && std::ranges::any_of(field.names, [&](const std::string& name) {
                 return references_.has("." + name);
               });
      };
      return std::any_of(of.members.begin() + (&member - of.members.data()), of.members.end(),
                         read);
    }
    if (member.kind == Item::kOther || member.is_field() || member.kind == Item::kType) {
      return true;
    }
    if (member.deleted) {
      return false;
    }
    const std::string& name = member.names[0];
    if (name == "operator" || name == "constructor") {
      return true;
    }
    const auto among = [&](const std::string& prefix, const References& r) {
      return member.kind == Item::kFunction
                 ? r.calls(prefix + name, member.least, member.most)
                 : std::ranges::any_of(member.names,
                                       [&](const std::string& n) { return r.has(prefix + n); });
    };
    return among(".", references_) || among(of.names[0] + "::", references_) || among("", own);
  }

  void reach(const std::vector<std::string>& roots) {
    references_ = References(classes_);
    for (Item& item : items_) {
      item.reached = false;
      for (Item& member : item.members) {
        member.reached = false;
      }
    }
    for (const std::string& root : roots) {
      references_.pass(root);
    }
    for (bool news = true; news;) {
      news = false;
      for (Item& item : items_) {
        if (item.deleted || !(item.reached || refers(item))) {
          continue;
        }
        if (!item.reached) {
          item.reached = true;
          references_.add(item.tokens);
          news = true;
        }
        References own(classes_);
        for (const Item& member : item.members) {
          if (member.reached) {
            own.add(member.tokens);
          }
        }
        for (Item& member : item.members) {
          if (!member.reached && refers_member(item, member, own)) {
            member.reached = true;
            references_.add(member.tokens);
            for (const Item& inner : member.members) {
              references_.add(inner.tokens);
            }
            news = true;
          }
        }
      }
    }
  }

  template <class Visit>
  void each_function(const Visit& visit) {
    for (Item& item : items_) {
      if (item.reached && item.kind == Item::kFunction) {
        visit(item);
      }
      for (Item& member : item.members) {
        if (item.reached && member.reached && member.kind == Item::kFunction) {
          visit(member);
        }
      }
    }
  }

  void drop_empty_calls() {
    std::set<std::string> empty, busy;
    each_function([&](const Item& f) {
      for (std::size_t n = f.least; n <= f.most; ++n) {
        (f.is_empty() ? empty : busy).insert(fmt::format("{}/{}", f.names[0], n));
      }
    });
    for (const std::string& name : busy) {
      empty.erase(name);
    }
    // Fields of classes that have none, and that nothing names, go, too.
    std::set<std::string> hollow;
    for (const Item& item : items_) {
      if (item.is_class && !item.deleted &&
          std::ranges::none_of(item.members, [](const Item& m) { return m.is_field(); })) {
        hollow.insert(item.names[0]);
        empty.insert(item.names[0] + "{}");
      }
    }
    each_function([&](Item& f) { f.tokens = without_unused(without_calls(f.tokens, empty)); });
    for (Item& item : items_) {
      std::erase_if(item.members, [&](const Item& m) {
        return m.is_field() && m.names.size() == 1 && hollow.contains(m.tokens[0].text) &&
               !references_.has("." + m.names[0]);
      });
    }
  }

  /// Calls of functions that only return a constant become it.
  void put_values() {
    std::map<std::string, Tokens> values;
    std::set<std::string> others;
    each_function([&](const Item& f) {
      const Tokens& t = f.tokens;
      const std::string name = fmt::format("{}/{}", f.names[0], f.most);
      const auto returns =
          std::ranges::find_if(t, [](const Token& token) { return token.is("return"); });
      Tokens value;
      if (f.least == f.most && returns != t.end() && std::prev(returns)->is("{") &&
          t.end() - returns > 3) {
        value.assign(returns + 1, t.end() - 2);
        const bool constant = value.size() == 1 && (value[0].kind == TokenKind::kNumber ||
                                                    value[0].is("true") || value[0].is("false"));
        const std::size_t first = value[0].is("&") ? 1 : 0;
        const bool member = value.size() == first + 3 && value[first].is("args") &&
                            value[first + 1].is(".") && t[t.size() - 2].is(";");
        if (!constant && !member) {
          value.clear();
        }
      }
      const auto known = values.find(name);
      if (!value.empty() && (known == values.end() || text_of(known->second) == text_of(value))) {
        values[name] = value;
      } else {
        others.insert(name);
      }
    });
    for (const std::string& name : others) {
      values.erase(name);
    }
    each_function([&](Item& f) {
      const Tokens replaced = with_values(f.tokens, values);
      if (replaced.size() != f.tokens.size()) {
        f.tokens = without_unused(folded(replaced, constants_of(f)));
      }
    });
  }

  /// Template parameters that are the same constant wherever a function is called are decided.
  void bind_template_arguments() {
    std::map<std::string, std::vector<Item*>> functions;
    each_function([&](Item& f) { functions[f.names[0]].push_back(&f); });
    std::map<std::string, std::optional<KnownValue>> arguments;  // "name/index"
    each_function([&](const Item& f) {
      const Tokens& t = f.tokens;
      for (std::size_t i = 0; i + 1 < t.size(); ++i) {
        const auto called =
            t[i].kind == TokenKind::kWord ? functions.find(t[i].text) : functions.end();
        const bool given = t[i + 1].is("<") && t[i + 1].before.empty();
        if (called == functions.end() || f.names[0] == t[i].text || !(given || t[i + 1].is("("))) {
          continue;
        }
        const Item& callee = *called->second.front();
        std::size_t index = 0, from = i + 2;
        const auto add = [&](const Tokens& text) {
          const std::optional<KnownValue> value = value_of(text, constants_);
          const auto [place, first] =
              arguments.emplace(fmt::format("{}/{}", t[i].text, index++), value);
          if (!first && place->second != value) {
            place->second.reset();
          }
        };
        const std::size_t close = given ? behind_angle(t, i + 1) - 1 : i;
        for (std::size_t n = i + 2; n <= close; ++n) {
          if (opens(t[n])) {
            n = behind_bracket(t, n) - 1;
          } else if (t[n].is(",") || n == close) {
            add({t.begin() + static_cast<std::ptrdiff_t>(from),
                 t.begin() + static_cast<std::ptrdiff_t>(n)});
            from = n + 1;
          }
        }
        while (index < callee.parameters.size()) {
          add(tokens_of(callee.defaults[index]));
        }
      }
    });
    for (const auto& [name, items] : functions) {
      if (items.size() != 1) {
        continue;
      }
      Item& f = *items.front();
      const KnownValues before = constants_of(f);
      KnownValues constants = before;
      for (std::size_t i = 0; i < f.parameters.size(); ++i) {
        const auto place = arguments.find(fmt::format("{}/{}", name, i));
        if (place != arguments.end() && place->second) {
          constants[f.parameters[i]] = *place->second;
        }
      }
      if (constants.size() > before.size()) {
        f.tokens = without_unused(folded(f.tokens, constants));
      }
    }
  }

  /// There is one Config: templates on it become plain functions and classes.
  void without_config(Item& item) const {
    const bool chosen = item.kind == Item::kType && chosen_.contains(item.names[0]);
    Tokens out;
    std::string before;  // of a token that goes
    const auto put = [&](const Token& token) {
      out.push_back(token);
      if (!before.empty()) {
        out.back().before = before;
        before.clear();
      }
    };
    const Tokens& t = item.tokens;
    const auto config_at = [&](std::size_t i) {  // how many tokens
      return i < t.size() && t[i].is("Config") ? 1u
             : i + 2 < t.size() && t[i].is("tilecast") && t[i + 1].is("::") && t[i + 2].is("Config")
                 ? 3u
                 : 0u;
    };
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (t[i].is("template") && i + 2 < t.size() && t[i + 1].is("<")) {
        const std::size_t end = behind_angle(t, i + 1);
        Tokens head;
        for (std::size_t n = i; n < end; ++n) {
          const bool is = t[n].is("class") && t[n + 1].is("Config");
          if (!is) {
            head.push_back(t[n]);
            continue;
          }
          n += t[n + 2].is(",") ? 2 : 1;
          if (!t[n].is(",") && head.back().is(",")) {
            head.pop_back();
          }
        }
        if (head.size() == 3 || chosen) {
          before = t[i].before;
        } else {
          head[2].before.clear();
          std::ranges::for_each(head, put);
        }
        i = end - 1;
        continue;
      }
      put(t[i]);
      if (chosen && t[i].is(item.names[0])) {
        i = behind_template_arguments(t, i + 1) - 1;
        continue;
      }
      const std::size_t words = i + 1 < t.size() && t[i + 1].is("<") && t[i + 1].before.empty() &&
                                        t[i].kind == TokenKind::kWord
                                    ? config_at(i + 2)
                                    : 0;
      if (words == 0) {
        continue;
      }
      const Token& next = t[i + 2 + words];
      if (next.is(">")) {
        i += 2 + words;
      } else if (next.is(",")) {
        put(t[i + 1]);
        i += 2 + words;
        before = "\x01";  // none
      }
    }
    for (Token& token : out) {
      if (token.before == "\x01") {
        token.before.clear();
      }
    }
    item.tokens = out;
  }

  /// Of a kernel all that it says of itself, of its parts the first paragraph; of what the model
  /// shares nothing, since that is mostly about the model.
  std::string header(std::size_t part) const {
    constexpr std::size_t kColumns = 100;
    const std::string& path = parts_[part].path;
    // Nor of one of which but a piece is left.
    const auto left = std::ranges::count_if(
        items_, [&](const Item& item) { return item.part == part && item.reached; });
    const bool model = path.starts_with("model/") || left < 2,
               kernel = path.starts_with("kernels/gemm/");
    std::string text = "---- " + path, rest;
    bool first = true;
    for (const Token& token : headers_[part]) {
      const std::size_t checks = token.text.find("Checked by:");
      first = first && token.text != "//";
      if (model || token.text.starts_with("// Contract:") || checks == 3 || (!first && !kernel)) {
        break;
      }
      const std::string line =
          token.text.substr(0, checks == std::string::npos ? checks : checks - 1);
      if (first) {
        text += (text == "---- " + path ? ": " : " ") + line.substr(3);
      } else {
        rest += line + "\n";
      }
      if (checks != std::string::npos) {
        break;
      }
    }
    std::string out = "\n";
    for (std::string line = "//"; !text.empty();) {
      const std::string word = text.substr(0, text.find(' '));
      text.erase(0, word.size() + 1);
      if (line.size() + 1 + word.size() > kColumns) {
        out += line + "\n";
        line = "//";
      }
      line += " " + word;
      out += text.empty() ? line + "\n" : "";
    }
    return out + rest;
  }

  /// In place of blank lines one.
  static std::string gap(const Tokens& tokens) {
    const std::size_t lines = static_cast<std::size_t>(
        std::ranges::count(tokens.empty() ? std::string() : tokens.front().before, '\n'));
    return lines > 1 ? "\n" : "";
  }

  std::string written(const Item& item) const {
    Tokens all = item.lead;
    all.insert(all.end(), item.tokens.begin(), item.tokens.end());
    std::string text = gap(all);
    if (!all.empty()) {
      all.front().before = "";
    }
    text += text_of(all);
    for (const Item& member : item.members) {
      if (&member == &item.members.back()) {
        Tokens tail = member.tokens;
        tail.front().before = "\n";
        text += text_of(tail);
      } else if (member.reached) {
        text += text_of(member.lead) + text_of(member.tokens);
        for (const Item& inner : member.members) {
          text += text_of(inner.lead) + text_of(inner.tokens);
        }
      }
    }
    return text + "\n";
  }

  std::vector<SourcePart> parts_;
  std::vector<std::string> includes_;
  std::vector<Tokens> headers_;
  std::vector<Item> items_;
  std::set<std::string> classes_;
  References references_{classes_};
  KnownValues constants_;
  std::map<std::string, std::string> aliases_;
  std::set<std::string> chosen_;  // classes of which default arguments choose one
};

}  // namespace

PrunedSource pruned_source(std::span<const SourcePart> parts, const std::vector<std::string>& roots,
                           const std::vector<std::string>& defined,
                           const std::map<std::string, std::string>& values) {
  Pruner pruner(parts, defined, values);
  pruner.prune(roots);
  return pruner.text();
}

}  // namespace tilecast

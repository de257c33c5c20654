#include "kernels/emit/used_source.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/emit/declarations.h"
#include "kernels/emit/simplify.h"
#include "kernels/jit/source_closure.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Removes the preprocessor directives whose outcome is known, as nvcc does.
Lines seen_by_nvcc(const Lines& lines) {
  Lines result;
  std::vector<int> inside;  // 1: kept, 0: removed, 2: unknown
  for (const std::string& line : lines) {
    const bool opens = line.starts_with("#if"), own = line.find("__CUDACC_") != std::string::npos;
    if (opens) {
      inside.push_back(!own ? 2 : line.starts_with("#ifdef"));
    }
    const bool decided = !inside.empty() && inside.back() != 2 &&
                         (opens || line.starts_with("#else") || line.starts_with("#endif"));
    const bool visible = std::ranges::find(inside, 0) == inside.end();
    if (visible && !decided && !line.starts_with("#include \"") &&
        !line.starts_with("#pragma once") && !line.starts_with("#undef")) {
      result.push_back(line);
    }
    if (line.starts_with("#else") && inside.back() != 2) {
      inside.back() = 1 - inside.back();
    } else if (line.starts_with("#endif")) {
      inside.pop_back();
    }
  }
  return result;
}

class SourceUser {
 public:
  SourceUser(const SourceParts& parts, const SourceUse& use) : use_(use) {
    program_.constants = use.known;
    for (const SourceParts::Part& part : parts.all()) {
      learn_constants(part.lines, program_.constants);
    }
    std::vector<SourceParts::Part> ordered = parts.all();
    std::ranges::stable_sort(ordered, {},
                             [](const SourceParts::Part& part) { return rank_of(part.path); });
    for (const SourceParts::Part& part : ordered) {
      Lines lines = seen_by_nvcc(part.lines);
      std::erase_if(lines, [&](const std::string& line) {
        const bool toolkit = line.starts_with("#include <");
        if (toolkit) {
          toolkit_.insert(line.substr(9));
        }
        return toolkit;
      });
      heads_[part.path] = head_of(part);
      for (std::string& line : lines) {
        for (const bool registers : {false, true}) {
          if (line.find(registers ? "EVERY_N(TILECAST_REGISTERS" : "EVERY_N(TILECAST_SHARED") !=
                  std::string::npos &&
              !line.starts_with('#')) {
            line = use.wgmma[registers];
          }
        }
      }
      lines = with_decided_choices(with_decided_branches(lines, program_.constants),
                                   program_.constants);
      declare(lines, part.path, "", -1, program_.all);
    }
  }

  std::string text() {
    choose_specializations(program_);
    while (bind_parameters(program_)) {
    }
    std::set<std::string> objects;
    while (put_values(program_) || drop_idle_calls(program_, objects) ||
           drop_parameters(program_) || drop_unused(program_)) {
    }
    reach();
    if (drop_alternatives()) {
      for (Declaration& d : program_.all) {
        d.kept = false;
      }
      used_.clear();
      reach();
    }
    return printed();
  }

  const std::set<std::string>& toolkit() const { return toolkit_; }

 private:
  /// Types and configuration come first, then instructions, which depend on nothing else.
  static int rank_of(std::string_view path) {
    const bool types = path.ends_with(".h") || path == "configuration";
    return types ? 0 : path.starts_with("kernels/ptx/") ? 1 : 2;
  }

  /// Returns a file's first comment: its first paragraph or, for the kernel, the whole description.
  Lines head_of(const SourceParts::Part& part) const {
    Lines head;
    for (const std::string& line : rank_of(part.path) == 0 ? Lines{} : part.lines) {
      const bool ends = part.path == use_.kernel ? line.starts_with("// Launch: ") : line == "//";
      if (!line.starts_with("//") || ends || line.starts_with("// Checked by: ")) {
        break;
      }
      head.push_back(line);
    }
    while (!head.empty() && head.back() == "//") {
      head.pop_back();
    }
    return head;
  }

  /// Marks the names that a declaration uses (used_source.h), in the forms that uses() recognizes.
  void use_names_of(const Declaration& d) {
    const std::string code = joined_code(d.lines);
    const std::string own = d.parent >= 0            ? program_.parent_of(d).names.front()
                            : d.kind == Kind::kClass ? d.names.front()
                                                     : "";
    for_each_word(code, [&](std::size_t i, std::size_t end) {
      const std::string word = code.substr(i, end - i);
      for (const Declaration& other : program_.all) {  // a macro pastes their names
        if (code.compare(end, 2, "##") == 0 && other.names.front().starts_with(word)) {
          used_.insert(other.names.front());
        }
      }
      const bool called = end < code.size() && (code[end] == '(' || code[end] == '<');
      std::string qualifier;
      if (i >= 2 && code.compare(i - 2, 2, "::") == 0) {
        std::size_t at = i - 2;
        if (at > 0 && code[at - 1] == '>') {  // name of a template
          for (int depth = 0; at > 0;) {
            --at;
            depth += code[at] == '>' ? 1 : code[at] == '<' ? -1 : 0;
            if (depth == 0) {
              break;
            }
          }
        }
        qualifier = word_before(code, at);
      }
      const bool member =
          i > 0 && (code.compare(std::max(i, std::size_t{9}) - 9, 9, "template ") == 0 ||
                    code[i - 1] == '.' || (i > 1 && code.compare(i - 2, 2, "->") == 0));
      if (member ||
          (!qualifier.empty() && spaces_.contains(qualifier) == false && qualifier != "std")) {
        used_.insert(member || !has_member(qualifier, word) ? "." + word : qualifier + "::" + word);
      } else if (qualifier != "std") {
        used_.insert(word);
        if (called) {
          used_.insert(word + "(");
        }
        if (!own.empty()) {
          used_.insert(own + "::" + word);
        }
      }
    });
  }

  bool has_member(const std::string& name, const std::string& member) const {
    return std::ranges::any_of(program_.all, [&](const Declaration& d) {
      return d.parent >= 0 && program_.parent_of(d).names.front() == name &&
             std::ranges::find(d.names, member) != d.names.end();
    });
  }

  bool is_used(const Declaration& d, std::size_t index) const {
    if (d.kind == Kind::kDropped || (d.parent >= 0 && !program_.parent_of(d).kept)) {
      return false;
    }
    const auto any = [&](const auto& form) {
      return std::ranges::any_of(
          d.names, [&](const std::string& name) { return used_.contains(form(name)); });
    };
    if (d.parent >= 0) {
      const std::string& own = program_.parent_of(d).names.front();
      if (d.kind == Kind::kMember && !use_.optional.contains(own)) {
        return true;
      }
      if (any([](const std::string& name) { return "." + name; }) ||
          any([&](const std::string& name) { return own + "::" + name; })) {
        return true;
      }
      // Kernel arguments before a used one are kept, because they determine its position.
      return d.kind == Kind::kMember && use_.optional.at(own) &&
             std::any_of(
                 program_.all.begin() + static_cast<std::ptrdiff_t>(index) + 1, program_.all.end(),
                 [&](const Declaration& other) { return other.parent == d.parent && other.kept; });
    }
    return d.kind == Kind::kFunction ? any([](const std::string& name) { return name + "("; })
                                     : any([](const std::string& name) { return name; });
  }

  void reach() {
    for (const std::string& root : use_.roots) {
      used_.insert(root + "(");
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < program_.all.size(); ++i) {
        if (!program_.all[i].kept && is_used(program_.all[i], i)) {
          program_.all[i].kept = changed = true;
          use_names_of(program_.all[i]);
        }
      }
    }
  }

  /// Replaces unions of arguments by their first member, the largest, if no other member is used.
  bool drop_alternatives() {
    bool changed = false;
    for (Declaration& d : program_.all) {
      if (!d.kept || d.kind != Kind::kMember || trimmed(d.lines.front()) != "union {" ||
          !use_.optional.contains(program_.parent_of(d).names.front())) {
        continue;
      }
      std::vector<std::string> members;
      for (const std::string& line : d.lines) {
        if (const std::string code = code_of(line); code.ends_with(';') && line != d.lines.back()) {
          members.push_back("." + std::string(word_before(code, code.size() - 1)));
        }
      }
      if (std::none_of(members.begin() + 1, members.end(),
                       [&](const std::string& member) { return used_.contains(member); })) {
        const std::string first = d.lines[1].substr(2);
        d.names = {members.front().substr(1)};
        d.lines = {first};
        changed = true;
      }
    }
    return changed;
  }

  /// Whether no member follows "private:".
  bool is_bare_label(std::size_t index) const {
    const Declaration& d = program_.all[index];
    return d.lines.front() == " private:" &&
           std::none_of(
               program_.all.begin() + static_cast<std::ptrdiff_t>(index) + 1, program_.all.end(),
               [&](const Declaration& other) { return other.parent == d.parent && other.kept; });
  }

  std::string printed() const {
    Lines lines;
    std::string space, path;
    const auto enter = [&](const std::string& next) {
      if (next != space) {
        if (!space.empty()) {
          lines.push_back("");
          lines.push_back("}  // namespace " + space);
        }
        if (!next.empty()) {
          lines.push_back("");
          lines.push_back("namespace " + next + " {");
        }
        space = next;
      }
    };
    std::vector<int> open;  // stack of enclosing classes
    const auto close = [&](int until) {
      while (!open.empty() && open.back() != until) {
        lines.push_back(program_.all[static_cast<std::size_t>(open.back())].end);
        open.pop_back();
      }
    };
    for (std::size_t i = 0; i < program_.all.size(); ++i) {
      const Declaration& d = program_.all[i];
      if (!d.kept || is_bare_label(i)) {
        continue;
      }
      close(d.parent);
      enter(d.space);
      if (d.path != path) {
        lines.push_back("");
        lines.push_back("// ---- " + d.path);
        const Lines& head = heads_.at(d.path);
        lines.insert(lines.end(), head.begin(), head.end());
        path = d.path;
      } else if (d.apart && !trimmed(lines.back()).ends_with('{')) {
        lines.push_back("");
      }
      lines.insert(lines.end(), d.comment.begin(), d.comment.end());
      lines.insert(lines.end(), d.lines.begin(), d.lines.end());
      if (!d.end.empty()) {
        open.push_back(static_cast<int>(i));
      }
    }
    close(-1);
    enter("");
    std::string text;
    for (const std::string& line : without_template_parameter(lines)) {
      text += line + '\n';
    }
    return text;
  }

  const SourceUse& use_;
  Program program_;
  std::set<std::string> used_;
  std::set<std::string> toolkit_;
  std::map<std::string, Lines> heads_;
  std::set<std::string> spaces_{"tilecast", "ptx", "emitted"};
};

}  // namespace

void SourceParts::add(const std::string& path, std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    add_file(std::string(included_path(line)));
  }
  parts_.push_back({path, lines_of(text)});
}

void SourceParts::add_file(const std::string& path) {
  if (!path.empty() && seen_.insert(path).second) {
    add(path, source_closure(path, embedded_sources()).front().text);
  }
}

UsedSource used_source(const SourceParts& parts, const SourceUse& use) {
  SourceUser program(parts, use);
  return {program.text(), program.toolkit()};
}

}  // namespace tilecast

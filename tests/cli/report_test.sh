# Tests tilecast report: a complete page with validate's figures, reproducible bytes, rejected
# input.
. tests/cli/expect.sh

rows=validate/data/h200_sxm/laboratory/sustained.csv.gz
out=$folder/report
"$TILECAST" report --data $rows --out "$out" \
  >"$folder/said" 2>"$folder/err" || problem "report: $(cat "$folder/err")"
grep -q 'mean error' "$folder/said" || problem 'no figure on standard output'
tail -1 "$folder/said" | grep -qx "$out/index.html" || problem 'the page is not named last'
"$TILECAST" validate --data $rows --format json >"$folder/validated" 2>/dev/null

if command -v python3 >/dev/null; then
  python3 - "$out" "$folder/validated" <<'PYTHON' >"$folder/found" 2>&1 || problem "$(cat "$folder/found")"
import html.parser, json, sys

out, validated = sys.argv[1:]
report = json.load(open(f"{out}/report.json"))
assert report["validation"] == json.load(open(validated)), "the report has other figures than validate"

VOID = {"meta", "link", "input", "br", "img"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.words, self.ids, self.json = [], 0, set(), ""

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            assert name != "id" or value not in self.ids, f"two elements are {value}"
            assert name not in ("src", "onclick"), f"{tag} has {name}"
            self.ids.update([value] if name == "id" else [])

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes no {tag}"

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and data.startswith('{"schema"'):
            self.json = data
        if not {"script", "style", "title"} & set(self.open):
            self.words += len(data.split())


page = Page()
text = open(f"{out}/index.html", encoding="utf-8").read()
page.feed(text)
page.close()
assert text.startswith("<!doctype html>") and not page.open, f"left open: {page.open}"
assert page.words <= 1200, f"{page.words} words"
assert json.loads(page.json) == report, "the page and report.json differ"
mean = report["validation"]["time"]["sustained"]["mape"] * 100
assert f"mean error of {mean:.3g} %" in text, f"no mean error of {mean:.3g} %"
PYTHON
fi

# The same rows give the same bytes.
cp -r "$out" "$folder/first"
"$TILECAST" report --data $rows --out "$out" >/dev/null 2>&1
diff -r "$out" "$folder/first" >/dev/null || problem 'not the same again'

expect_error 2 'report needs measurements' "$TILECAST" report --out "$folder/x"
expect_error 2 'out' "$TILECAST" report --data $rows
expect_error 6 'no.csv' "$TILECAST" report --data no.csv --out "$folder/x"
expect_error 2 'h100_sxm|H100' "$TILECAST" report --gpu h100_sxm --data $rows --out "$folder/x"
expect_error 2 'schedules run' "$TILECAST" report --gpu hipparchus --data $rows --out "$folder/x"
printf 'gpu: h200_sxm\ndata: [%s]\nmoer: []\n' "$rows" >"$folder/m.yaml"
expect_error 2 'm.yaml:3: moer' "$TILECAST" report --manifest "$folder/m.yaml" --out "$folder/x"
expect_error 2 'manifest.*gpu|gpu.*manifest' "$TILECAST" report --manifest reports/h200.yaml --gpu h100_sxm --out "$folder/x"
[ -e "$folder/x" ] && problem 'a refused report left a folder'
mkdir "$folder/own" && echo mine >"$folder/own/index.html"
expect_error 2 'own/index.html: not written by `tilecast report`' "$TILECAST" report --data $rows --out "$folder/own"
mv "$folder/own/index.html" "$folder/own/report.json"
expect_error 2 'own/report.json: not written by `tilecast report`' "$TILECAST" report --data $rows --out "$folder/own"
finish

"""Opens a report in headless Chromium: page_test.py REPORT_FOLDER [SCREENSHOT_FOLDER]

No message on the console, no request, every chart drawn with as many marks as it has rows, filters
by click and by keyboard, no text wider than the screen, no serious finding of axe-core, in light and
dark, on a wide screen and on a phone's. Exit code 77 where the library or the browser is missing.
"""

import os
import pathlib
import shutil
import sys

SKIPPED = 77
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Where the target tilecast_report_browser installs the library.
sys.path += [path for path in os.environ.get("TILECAST_BROWSER_PACKAGES", "").split(":") if path]
try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright
except ImportError:
    print("skipped: no Playwright; build the target tilecast_report_browser")
    sys.exit(SKIPPED)
if CHROMIUM is None:
    print("skipped: no Chromium, apt-get install chromium")
    sys.exit(SKIPPED)

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
failures = []

# Items that a chart's marks hold, by the marks' names as the specification gives them.
MARKS = """async () => {
  await tilecastReport.drawAll();
  const found = {};
  for (const [id, chart] of tilecastReport.charts) {
    const counts = {};
    const walk = (item) => {
      if (item.marktype && item.name) counts[item.name] = (counts[item.name] ?? 0) + item.items.length;
      (item.items ?? []).forEach(walk);
    };
    walk(chart.result.view.scenegraph().root);
    const rows = Object.fromEntries(chart.chart.tables.map((name) => [name, chart.rows(name).length]));
    found[id] = { counts, rows };
  }
  return found;
}"""


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def open_page(browser, url, size, scheme):
    context = browser.new_context(viewport=size, color_scheme=scheme, device_scale_factor=1)
    page = context.new_page()
    page.on("console", lambda message: check(False, f"console: {message.text}"))
    page.on("pageerror", lambda error: check(False, f"error: {error}"))
    page.on("request", lambda request: check(
        request.url.split("#")[0] == url or request.url.startswith(("data:", "blob:")),
        f"request: {request.url}"))
    page.goto(url)
    return page


def check_marks(page):
    """Every chart holds marks; those with one for each row have as many as rows."""
    found = page.evaluate(MARKS)
    one_for_each_row = {"scatter": ("kernels", "points"), "picks": ("picks", "picks"),
                        "bytes": ("kernels", "bytes"), "roofline": ("kernels", "roofline"),
                        "waves": ("kernels", "waves"), "groups_rows": ("kernels", "groups"),
                        "groups_imbalance": ("kernels", "groups"), "moves": ("kernels", "moves"), "timelines": ("spans", "timelines"),
                        "ladder": ("bars", "ladder")}
    for chart, own in found.items():
        marks = {name: n for name, n in own["counts"].items() if name.endswith("_marks")}
        check(sum(marks.values()) > 0, f"{chart}: no marks, {own['counts']}")
        if chart in one_for_each_row:
            mark, table = one_for_each_row[chart]
            drawn = marks.get(f"{mark}_marks", 0)
            check(drawn == own["rows"][table], f"{chart}: {drawn} marks of {own['rows'][table]} rows")
    print(f"{len(found)} charts,",
          sum(sum(own["counts"].values()) for own in found.values()), "marks")
    return found


def kernels_of(page, chart, mark):
    return page.evaluate(MARKS)[chart]["counts"].get(f"{mark}_marks", 0)


def check_filters(page):
    """One press takes a word's rows away, the next brings them back: by click and by keyboard."""
    if page.locator("#chart-scatter button").count() == 0:
        return
    buttons = page.locator("#chart-scatter .filters button")
    before = kernels_of(page, "scatter", "kernels")
    count = page.locator("#chart-scatter .count").inner_text()
    buttons.first.click()
    page.wait_for_timeout(200)
    after_click = kernels_of(page, "scatter", "kernels")
    check(after_click < before, f"a click on a filter left {after_click} of {before}")
    check(buttons.first.get_attribute("aria-pressed") == "false", "a filter does not say it is off")
    check(page.locator("#chart-scatter .count").inner_text() != count, "the count of rows stays")
    buttons.first.focus()
    page.keyboard.press("Space")
    page.wait_for_timeout(200)
    check(kernels_of(page, "scatter", "kernels") == before, "the keyboard did not bring rows back")
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.tagName")
    check(focused in ("BUTTON", "SELECT"), f"Tab goes to {focused}")
    selects = page.locator("#chart-cycles_clock .filters select")
    if selects.count() > 0 and selects.first.locator("option").count() > 1:
        shape = selects.first.input_value()
        selects.first.focus()
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(300)
        now = page.locator("#chart-cycles_clock .filters select").first.input_value()
        check(now != shape, "the keyboard did not choose another shape")
        check(kernels_of(page, "cycles_clock", "measured") > 0, "another shape draws nothing")


def check_race(page):
    """A drawing that takes long never lands on a later one: what is drawn is what is chosen."""
    buttons = page.locator("#chart-scatter .filters button[data-column='schedule']")
    if buttons.count() < 2:
        return
    page.evaluate("""() => {
      const draw = globalThis.vegaEmbed;
      let calls = 0;
      globalThis.vegaEmbed = async (...args) => {
        if (calls++ === 0) await new Promise((done) => setTimeout(done, 400));
        return draw(...args);
      };
    }""")
    for place in (0, 0, 1):  # the first drawing is slow, those of the other clicks are not
        buttons.nth(place).click()
    page.wait_for_timeout(1200)
    found = page.evaluate(MARKS)["scatter"]
    drawn = found["counts"].get("kernels_marks", 0)
    check(drawn == found["rows"]["points"],
          f"after quick clicks {drawn} marks of {found['rows']['points']} rows are drawn")


def check_width(page, size):
    wide = page.evaluate("document.documentElement.scrollWidth")
    check(wide <= size["width"], f"the page is {wide} wide on a screen of {size['width']}")


def check_accessible(page, what):
    results = Axe().run(page)
    for finding in results.response["violations"]:
        if finding["impact"] in ("serious", "critical"):
            nodes = [node["html"][:160] for node in finding["nodes"][:3]]
            check(False, f"axe-core, {what}: {finding['id']}: {finding['help']}: {nodes}")


def screenshots(page, folder, name):
    page.evaluate("tilecastReport.drawAll()")
    page.evaluate("document.querySelector('nav').style.position = 'static'")  # not over the pictures
    page.wait_for_timeout(300)
    page.screenshot(path=str(folder / f"{name}_first_screen.png"))
    page.screenshot(path=str(folder / f"{name}.png"), full_page=True)
    for section in page.locator("main > section").all():
        section.screenshot(path=str(folder / f"{name}_{section.get_attribute('id')}.png"))


def main():
    report = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    url = (report / "index.html").as_uri()
    size = (report / "index.html").stat().st_size
    check(size <= 4 * 1024 * 1024, f"index.html has {size} bytes")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM,
                                       args=["--no-sandbox"] if os.geteuid() == 0 else [])
        for name, screen, scheme in (("wide", WIDE, "light"), ("wide_dark", WIDE, "dark"),
                                     ("phone", PHONE, "light"), ("phone_dark", PHONE, "dark")):
            page = open_page(browser, url, screen, scheme)
            check_marks(page)
            check_width(page, screen)
            check_accessible(page, name)
            if pictures:
                pictures.mkdir(parents=True, exist_ok=True)
                screenshots(page, pictures, name)
            if name == "wide":
                check_filters(page)
                check_race(page)
            page.context.close()
        browser.close()
    print(f"{len(failures)} faults")
    sys.exit(1 if failures else 0)


main()

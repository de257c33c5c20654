"""Opens a report in headless Chromium: page_test.py REPORT_FOLDER [SCREENSHOT_FOLDER]

Checks that there is no message on the console, no request, every chart drawn, the list of problems
by keyboard, nothing wider than the screen, at most three screens and 1,200 words, nothing that
axe-core finds, in light and dark, on a wide screen and on a phone's. Exit code 77 where the library
or the browser is missing.
"""

import os
import pathlib
import shutil
import sys

SKIPPED = 77
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Installation folder of the target tilecast_report_browser.
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


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def open_page(browser, url, size, scheme, script=True):
    context = browser.new_context(viewport=size, color_scheme=scheme, java_script_enabled=script)
    page = context.new_page()
    page.on("console", lambda message: check(False, f"console: {message.text}"))
    page.on("pageerror", lambda error: check(False, f"error: {error}"))
    page.on("request", lambda request: check(
        request.url.split("#")[0] == url or request.url.startswith(("data:", "blob:")), f"request: {request.url}"))
    page.goto(url)
    if script:
        page.evaluate("tilecastReport.drawn")
    return page


def check_charts(page):
    for plot in page.locator(".plot:visible").all():
        marks = plot.locator("svg .mark-symbol path, svg .mark-rect path, svg .mark-line path").count()
        check(marks > 0, f"{plot.get_attribute('data-chart')}: nothing is drawn")


def check_list(page):
    """Searches, chooses and reads using only the keyboard."""
    shown = page.locator("#top caption").inner_text()
    page.locator("#search").focus()
    page.keyboard.press("Tab")
    check(page.evaluate("document.activeElement.id") == "problem", "Tab does not lead to the list")
    if page.locator("#problem option").count() > 1:
        page.keyboard.press("End")
        if page.locator("#top caption").inner_text() == shown:
            page.keyboard.press("Home")
        check(page.locator("#top caption").inner_text() != shown, "keys do not choose another problem")
    page.locator("#search").fill("no such problem")
    check(page.locator("#found").inner_text().startswith("0 of"), "a search for nothing finds something")
    page.locator("#search").fill("")


def check_size(page, size, name):
    wide, high = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    words = len(page.locator("main").inner_text().split())
    print(f"{name}: {high / size['height']:.2f} screens, {words} words")
    check(wide <= size["width"], f"{name}: the page is {wide} wide on a screen of {size['width']}")
    check(size is PHONE or high <= 3 * size["height"], f"{name}: the page is {high} high")
    check(words <= 1200, f"{name}: {words} words")


def check_accessible(page, name):
    for finding in Axe().run(page).response["violations"]:
        nodes = [node["html"][:160] for node in finding["nodes"][:3]]
        check(False, f"axe-core, {name}: {finding['id']}: {finding['help']}: {nodes}")


def screenshots(page, folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(folder / f"{name}_first_screen.png"))
    page.screenshot(path=str(folder / f"{name}.png"), full_page=True)


def main():
    url = (pathlib.Path(sys.argv[1]).resolve() / "index.html").as_uri()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM,
                                       args=["--no-sandbox"] if os.geteuid() == 0 else [])
        for name, size, scheme in (("wide", WIDE, "light"), ("wide_dark", WIDE, "dark"),
                                   ("phone", PHONE, "light"), ("phone_dark", PHONE, "dark")):
            page = open_page(browser, url, size, scheme)
            check_charts(page)
            check_size(page, size, name)
            if pictures:
                screenshots(page, pictures, name)
            check_list(page)
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            check_accessible(page, name)
            page.context.close()
        page = open_page(browser, url, WIDE, "light", script=False)
        check(page.locator("noscript .note").count() + page.locator(".note").count() > 0, "no word without scripts")
        check(page.locator(".plot:visible").count() == 0, "empty charts without scripts")
        if pictures:
            screenshots(page, pictures, "no_script")
        browser.close()
    print(f"{len(failures)} faults")
    sys.exit(1 if failures else 0)


main()

import type { Page } from "playwright-core"

/** The outcome of the last action of the page in `page.ts`. */
export const outcome = async (page: Page, name: string): Promise<unknown> => {
  await page.waitForSelector(`body[data-outcome*='"name":"${name}"']`, { state: "attached" })
  const text = (await page.getAttribute("body", "data-outcome")) ?? "null"
  await page.evaluate(() => delete document.body.dataset.outcome)
  return JSON.parse(text)
}

export const press = async (page: Page, name: string): Promise<unknown> => {
  await page.click(`#${name}`)
  return outcome(page, name)
}

export const open = async (page: Page, url: string): Promise<unknown> => {
  await page.goto(url)
  return outcome(page, "load")
}

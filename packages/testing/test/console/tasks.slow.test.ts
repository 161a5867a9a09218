import { expect } from "@effect/vitest"
import type { StartedTasks } from "@tollgate/contract/account/Access"
import { axe, type ConsoleVisit, consoleTests, phone } from "@tollgate/testing/console/consolePage"
import { adminToken, callsWith, newKey, withAdmin } from "@tollgate/testing/console/newKey"
import type { Page } from "playwright-core"

const path = "/apis/v1/services/aigc/video-generation/video-synthesis"
const create = `**${path}`
const failing = { status: 503, json: { error: { code: "billing_unavailable", message: "Not now, please." } } }

/** Starts a task as a program would. */
const startTask = async ({ address }: ConsoleVisit, key: string, prompt: string): Promise<string> => {
  const answer = await fetch(`${address}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-tollgate-async": "enable" },
    body: JSON.stringify({ model: "sandbox-video", input: { prompt } })
  })
  const { output } = (await answer.json()) as { readonly output: { readonly task_id: string } }
  return output.task_id
}

/** Starts a task with the form. */
const start = async (tab: Page, prompt: string, cap?: string) => {
  await tab.getByText("at most $0.05").waitFor()
  await tab.getByLabel("Prompt").fill(prompt)
  if (cap !== undefined) await tab.getByLabel("Cap in USD").fill(cap)
  await tab.getByRole("button", { name: "Start" }).click()
}

const view = (tab: Page) => tab.getByRole("region", { name: "Video", exact: true })
const rows = (tab: Page) => tab.getByRole("region", { name: "Your tasks" }).getByRole("listitem")
const isTooWide = (tab: Page) => tab.locator("html").evaluate((html) => html.scrollWidth > innerWidth)

const isLoaded = (tab: Page) =>
  tab.locator("video").evaluate((video) => video instanceof HTMLVideoElement && video.videoWidth)

consoleTests(withAdmin, (inConsole) => {
  inConsole("a video is started at its price, watched and shown, and its call is one click away", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/tasks", { key })
    await tab.getByText("None yet").waitFor()
    // The quote goes to the same address.
    const sent = tab.waitForRequest((request) => request.postData()?.includes("[task 1500ms]") === true)
    await start(tab, "A paper boat [task 1500ms]")
    // Nothing can cost more than the price that was shown.
    expect(Object.entries((await sent).headers()).find(([name]) => name.endsWith("max-price-usd"))?.[1]).toBe("0.05")
    await view(tab).getByText("done").first().waitFor()
    await expect.poll(() => isLoaded(tab)).toBe(160)
    await view(tab).getByText("A paper boat [task 1500ms]").waitFor()
    await view(tab).getByText("Charged").waitFor()
    const { tasks } = await callsWith(visit, key).read<StartedTasks>("/account/v1/tasks")
    expect(new URL(tab.url()).search).toBe(`?task=${tasks[0]?.id}`)
    expect(await axe(tab)).toEqual([])
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)

    await view(tab)
      .getByRole("link", { name: tasks[0]?.call ?? "" })
      .click()
    await tab.waitForURL(`**/calls/${tasks[0]?.call}`)
    await tab.getByRole("heading", { level: 1, name: "video.create" }).waitFor()
    // A task that ended is there at once when one comes back.
    await tab.goBack()
    await expect.poll(() => isLoaded(tab)).toBe(160)
  })

  inConsole("a video that failed says why, in the words of the upstream, and what it cost", async (visit) => {
    const { key } = await newKey(visit)
    await startTask(visit, key, "[task canceled half] [task 1ms]")
    const tab = await visit.signedIn("/tasks", { key })
    await view(tab).getByText("The task was canceled, as the prompt asked.").waitFor()
    await view(tab).getByText("$0.025 charged").waitFor()
    await start(tab, "[task fails] [task 1ms]")
    await view(tab).getByRole("alert").getByText("The video could not be generated, as the prompt asked.").waitFor()
    await view(tab).getByText("InternalError.Generation · nothing was charged").waitFor()
    await expect.poll(() => rows(tab).count()).toBe(2)
    expect(await axe(tab)).toEqual([])
    // The other is chosen by keyboard.
    await rows(tab).nth(1).getByRole("link").press("Enter")
    await view(tab).getByText("The task was canceled, as the prompt asked.").waitFor()
  })

  inConsole("a start is refused above the cap, and while three run", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/tasks", { key })
    await tab.getByText("at most $0.05").waitFor()
    await tab.getByLabel("Cap in USD").fill("nonsense")
    await tab.getByText("Write digits, such as 12.50").waitFor()
    expect(await tab.getByRole("button", { name: "Start" }).isDisabled()).toBe(true)
    await start(tab, "A boat", "0.01")
    await tab.getByRole("alert").getByText(/0\.01/).first().waitFor()
    expect(await rows(tab).count()).toBe(0)

    for (let i = 0; i < 3; i++) await startTask(visit, key, "[task 3000s]")
    await start(tab, "A boat", "0.05")
    await tab.getByRole("alert").getByText("limit of 3 concurrent tasks is reached").waitFor()
    await tab
      .getByRole("alert")
      .getByText(/rate_limit_exceeded/)
      .waitFor()
    await view(tab)
      .getByText(/so far$/)
      .waitFor()
    await expect.poll(() => rows(tab).count()).toBe(3)
    await tab.setViewportSize(phone)
    expect(await isTooWide(tab)).toBe(false)
  })

  inConsole("a start whose answer is lost is asked for, and makes one video", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/tasks", { key })
    await tab.getByText("at most $0.05").waitFor()
    await tab.route(create, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await start(tab, "A boat [task 1ms]")
    const ask = tab.getByRole("button", { name: "Ask for the outcome" })
    await ask.waitFor()
    expect(await tab.getByRole("button", { name: "Start" }).isDisabled()).toBe(true)
    expect(await axe(tab)).toEqual([])
    await tab.unroute(create)
    await ask.click()
    await view(tab).getByText("done").first().waitFor()
    await ask.waitFor({ state: "detached" })
    const { tasks } = await callsWith(visit, key).read<StartedTasks>("/account/v1/tasks")
    expect(tasks).toHaveLength(1)
  })

  inConsole("a gateway that fails leaves the last list in view, and a video that is gone says so", async (visit) => {
    const { key } = await newKey(visit)
    await startTask(visit, key, "A boat [task 1ms]")
    const list = "**/account/v1/tasks"
    const tab = await visit.signedIn("/tasks", { key })
    await rows(tab).getByText("done").waitFor()
    await tab.route("**/videos/**", (route) => route.fulfill({ status: 403, body: "expired" }))
    await tab.route(list, (route) => route.fulfill(failing))
    await tab.getByRole("alert").getByText("Not now, please.").waitFor()
    expect(await rows(tab).count()).toBe(1)
    await tab.unroute(list)
    await tab.getByRole("button", { name: "Try again" }).first().click()
    await tab.getByText("Not now, please.").waitFor({ state: "detached" })

    await tab.getByRole("link", { name: "Limits" }).click()
    await tab.getByRole("heading", { level: 1, name: "Limits" }).waitFor()
    await tab.getByRole("link", { name: "Tasks" }).click()
    await tab.getByText("The video could not be loaded.").waitFor()
    await tab.unroute("**/videos/**")
    await view(tab).getByRole("button", { name: "Try again" }).click()
    await expect.poll(() => isLoaded(tab)).toBe(160)
  })

  inConsole("every key of the account lists its videos; one with a budget only its own", async (visit) => {
    const { account, key } = await newKey(visit)
    const id = await startTask(visit, key, "A boat [task 1ms]")
    const another = async (terms: object): Promise<string> => {
      const answer = await fetch(`${visit.address}/admin/v1/accounts/${account}/keys`, {
        method: "POST",
        headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
        body: JSON.stringify(terms)
      })
      return ((await answer.json()) as { readonly key: string }).key
    }
    const tab = await visit.signedIn("/tasks", { key: await another({ label: "desktop" }) })
    await rows(tab).getByText(id).waitFor()
    await expect.poll(() => isLoaded(tab)).toBe(160)

    const limited = await another({ label: "guest", budget_micros_usd: 1_000_000 })
    const guest = await visit.signedIn("/tasks", { key: limited })
    await guest.getByText("None yet").waitFor()
    const own = await startTask(visit, limited, "A raft [task 1ms]")
    await rows(guest).getByText(own).waitFor()
    expect(await rows(guest).count()).toBe(1)
  })

  inConsole("an address of a task that is not there says so", async (visit) => {
    const { key } = await newKey(visit)
    const tab = await visit.signedIn("/tasks?task=task_of%20another", { key })
    await view(tab).getByText("The gateway does not know this task").waitFor()
  })
})

import { expect } from "@effect/vitest"
import type { StartedTasks } from "@tollgate/contract/account/Access"
import { axe, type ConsoleVisit, consoleTests, phone } from "@tollgate/testing/console/consolePage"
import { adminToken, callsWith, newKey, withAdmin } from "@tollgate/testing/console/newKey"
import { playground } from "@tollgate/testing/console/playground"
import type { Page } from "playwright-core"

const path = "/apis/v1/services/aigc/video-generation/video-synthesis"
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
    await tab.getByRole("link", { name: "New video" }).click()
    await tab.getByText("at most $0.05").waitFor()
    const { asJson, run } = playground(tab)
    await asJson(JSON.stringify({ model: "sandbox-video", input: { prompt: "A paper boat [task 1500ms]" } }))
    await run()
    await tab.getByRole("link", { name: "Watch it" }).click()
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
    const failed = await startTask(visit, key, "[task fails] [task 1ms]")
    await rows(tab).getByRole("link", { name: failed }).click()
    await view(tab).getByRole("alert").getByText("The video could not be generated, as the prompt asked.").waitFor()
    await view(tab).getByText("InternalError.Generation · nothing was charged").waitFor()
    await expect.poll(() => rows(tab).count()).toBe(2)
    expect(await axe(tab)).toEqual([])
    // The other is chosen by keyboard.
    await rows(tab).nth(1).getByRole("link").press("Enter")
    await view(tab).getByText("The task was canceled, as the prompt asked.").waitFor()
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

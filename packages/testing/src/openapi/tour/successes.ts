import type { Caller } from "../Caller.ts"
import { textAt, objectAt } from "../Document.ts"
import { type CallerOf, requests } from "./requests.ts"

/** Values for the variables of the examples, from real answers. */
export const realValues = async (caller: Caller) => {
  const version = (await caller.send({ path: "/api/contracts/version" })).json()
  const tag = await caller.send({ path: "/apis/v1/reseller/social_c/web/fetch_tag_detail?tag_name=rivers" })
  const video = await caller.send({
    path: "/apis/v1/services/aigc/video-generation/video-synthesis",
    headers: { "x-tollgate-async": "enable" },
    body: { model: "sandbox-video", input: { prompt: "[task 0s] A river at dawn" } }
  })
  return {
    hash: textAt(version, "contentHash"),
    id: textAt(tag.json(), "cache_url").split("/").at(-1) ?? "",
    task_id: textAt(objectAt(video.json(), "output"), "task_id"),
    start_time: String(Math.floor(Date.now() / 1_000) - 86_400)
  }
}

/** Links an account, as a user in a browser would. The platform's page is at `address`, the gateway's own. */
export const linkAccount = async (caller: Caller, address: string) => {
  const started = await caller.send({ path: "/apis/v1/social_a/auth_social_a", body: {} })
  await caller.send({ method: "POST", path: "/apis/v1/social_a/auth_social_a" })
  const decide = async (decision: string) => {
    const { pathname, search } = new URL(textAt(started.json(), "auth_url"))
    const page = await fetch(`${address}${pathname}${search}&decision=${decision}`, { redirect: "manual" })
    const callback = new URL(page.headers.get("location") ?? "", address)
    return caller.send({ as: null, path: callback.pathname + callback.search })
  }
  await caller.send({ as: null, path: "/apis/v1/social_a/oauth_callback?state=unknown&code=1" })
  await caller.send({ as: null, path: "/apis/v1/social_a/oauth_callback" })
  return [await decide("approve"), await decide("deny")] as const
}

/** Every example, and the quote of each, also without a credential. Returns the statuses by operation. */
export const callAll = async (caller: Caller, callerOf: CallerOf) => {
  const quote = { "x-tollgate-cost-mode": "quote" }
  const statuses: Array<readonly [id: string, called: number, quoted: number]> = []
  for (const { call, operation } of requests(await realValues(caller))) {
    const quoting = { ...call, headers: { ...call.headers, ...quote } }
    await caller.send({ ...quoting, as: null })
    await caller.send({ ...quoting, as: "tg_wrong" })
    const own = await callerOf(operation)
    statuses.push([operation.id, (await own.send(call)).status, (await own.send(quoting)).status])
  }
  return statuses
}

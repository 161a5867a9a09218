import { isQuotable } from "@tollgate/contract/Operation"
import type { Caller } from "../Caller.ts"
import { objectAt, textAt } from "../Document.ts"
import { firstRequests } from "./requests.ts"

/** An account with these terms and a key of it. `admin` calls the admin API. */
export const newKey = async (admin: Caller, account: object, key: object = {}, credit?: number): Promise<string> => {
  const id = textAt((await admin.send({ path: "/accounts", body: { label: "tour" } })).json(), "id")
  await admin.send({ method: "PATCH", path: `/accounts/${id}`, body: account })
  if (credit !== undefined) {
    await admin.send({ path: `/accounts/${id}/adjustments`, body: { amount_micros_usd: credit, note: "tour" } })
  }
  return textAt((await admin.send({ path: `/accounts/${id}/keys`, body: key })).json(), "key")
}

/** A key of an account that exists. */
export const keyOf = async (admin: Caller, account: string): Promise<string> =>
  textAt((await admin.send({ path: `/accounts/${account}/keys`, body: {} })).json(), "key")

const signupCredit = 5_000_000

/** Keys that can pay for nothing: 402, and 429 for a quota. */
export const runOut = async (caller: Caller, admin: Caller) => {
  const terms = { tier: "Enterprise", rpm: 100_000, tpm: 100_000_000, concurrency: 100 }
  const poor = await newKey(admin, terms, {}, -signupCredit)
  const bound = await newKey(admin, terms, { budget_micros_usd: 0 })
  const spent = await newKey(admin, terms, { month_budget_micros_usd: 0 })
  for (const { call, operation } of firstRequests()) {
    if (!isQuotable(operation)) continue
    for (const as of [poor, bound, spent]) await caller.send({ ...call, as })
  }
}

/** More requests, tokens and tasks than the key may have, on every operation. */
export const goTooFast = async (caller: Caller, admin: Caller) => {
  const slow = await newKey(admin, { tier: "Enterprise", rpm: 1, tpm: 100_000_000, concurrency: 100 })
  const terse = await newKey(admin, { tier: "Enterprise", rpm: 100_000, tpm: 1, concurrency: 100 })
  await caller.send({ path: "/v1/models", as: slow })
  for (const { call, operation } of firstRequests()) {
    if (operation.access === "open") continue
    await caller.send({ ...call, as: slow })
    await caller.send({ ...call, as: slow, method: "DELETE" })
    if (operation.limit.tokens) await caller.send({ ...call, as: terse })
  }
}

const video = (prompt: string) => ({
  path: "/apis/v1/services/aigc/video-generation/video-synthesis",
  headers: { "x-tollgate-async": "enable" },
  body: { model: "sandbox-video", input: { prompt } }
})

/** Tasks to each end, polled too often, and more of them than a key may have at once. */
export const runTasks = async (caller: Caller, newCaller: () => Promise<Caller>) => {
  const path = "/apis/v1/services/aigc/tasks/"
  for (const prompt of ["[task 0s]", "[task 0s] [task fails]", "[task 0s] [task canceled half]", "[task expires]"]) {
    const owner = await newCaller()
    const id = textAt(objectAt((await owner.send(video(prompt))).json(), "output"), "task_id")
    for (let i = 0; i < 4; i++) await owner.send({ path: path + id })
  }
  await caller.send({ path: `${path}task_00000000000000000000000000000000` })
  const busy = await newCaller()
  for (let i = 0; i < 4; i++) await busy.send(video("[task never]"))
}

/** Requests without a credential, and with wrong ones, until the address has to wait. */
export const useUpAddress = async (caller: Caller) => {
  const until429 = async (call: Parameters<Caller["send"]>[0]) => {
    for (let i = 0; i < 1_000; i++) if ((await caller.send(call)).status === 429) return
  }
  await until429({ path: "/api/contracts/version", as: null })
  for (const { call, operation } of firstRequests())
    if (operation.access === "open") await caller.send({ ...call, as: null })
  await until429({ path: "/v1/models", as: "tg_wrong" })
  for (const { call, operation } of firstRequests()) {
    if (operation.access !== "open") await caller.send({ ...call, as: "tg_wrong" })
  }
}

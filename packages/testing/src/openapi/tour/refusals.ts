import { isQuotable } from "@tollgate/contract/Operation"
import type { Caller } from "../Caller.ts"
import { type CallerOf, firstRequests } from "./requests.ts"

const megabyte = 1024 * 1024

/** What a caller can do wrong, on every operation. */
export const doWrong = async (caller: Caller, callerOf: CallerOf, values: Readonly<Record<string, string>>) => {
  for (const { call, operation } of firstRequests(values)) {
    const { body, headers = {}, path } = call
    const send = async (change: Partial<typeof call>) => (await callerOf(operation)).send({ ...call, ...change })
    if (operation.access !== "open") {
      await send({ as: null })
      await send({ as: "tg_wrong" })
    }
    await send({ as: null, headers: { ...headers, authorization: "Basic abc" } })
    if (operation.request.query !== undefined)
      await send({ path: path.includes("?") ? `${path}&x=%zz` : `${path}?x=%zz` })
    await send({ headers: { ...headers, "x-tollgate-cost-mode": "cheap" } })
    if (isQuotable(operation)) {
      await send({ headers: { ...headers, "x-tollgate-max-price-usd": "0.000000001" } })
      await send({ headers: { ...headers, "x-tollgate-max-price-usd": "much" } })
      await send({ headers: { ...headers, "x-tollgate-idempotency-mode": "other", "idempotency-key": "a" } })
      await send({ headers: { ...headers, "idempotency-key": "x".repeat(300) } })
    }
    for (const method of ["DELETE", "PUT", "HEAD", operation.method === "GET" ? "POST" : "GET"]) {
      const { body: _, ...without } = call
      await caller.send({ ...without, method })
      await caller.send({ ...without, method, as: null })
    }
    await caller.send({ method: "OPTIONS", path, as: null, headers: { origin: "https://app.example" } })
    await send({ headers: { ...headers, origin: "https://app.example" } })
    if (body === undefined) {
      await caller.send({ ...call, upstream: operation.upstream !== "gateway", path: path.replace(/\?.*/, "") })
      continue
    }
    for (const wrong of ["", "{", "[]", '"text"']) await send({ body: wrong })
    // What a body has to contain, an upstream may decide.
    await send({ body: {}, upstream: operation.upstream !== "gateway" })
    if (operation.bodyLimit <= 4 * megabyte || operation.id === "messages") {
      await send({ body: JSON.stringify({ text: "x".repeat(operation.bodyLimit) }) })
    }
  }
  await caller.send({ path: "/v1/usage?start_time=1" })
  await caller.send({ path: "/v1/usage?start_time=0" })
  await caller.send({ path: "/v1/usage?start_time=abc" })
  await caller.send({ path: "/apis/v1/reseller/cache/0000" })
  await caller.send({ path: "/api/contracts/source?hash=0000&bundled=1" })
  await caller.send({ path: `/api/contracts/source?hash=${values["hash"]}` })
  await caller.send({ path: `/api/contracts/source?hash=${values["hash"]}&operation_id=none` })
  await caller.send({ path: "/v1/models", headers: { "anthropic-version": "2023-06-01" }, as: null })
  await caller.send({ path: "/v1/models?limit=x", headers: { "anthropic-version": "2023-06-01" } })
  await caller.send({ path: "/v1beta/models?pageToken=x" })
  await caller.send({ path: "/v1/chat/completions", body: { model: "none", messages: [] } })
}

/** Paths that have no operation. */
export const askElsewhere = async (caller: Caller) => {
  for (const path of [
    "/v1/conversations",
    "/v1beta/files",
    "/messages",
    "/nothing",
    "/apis/v1/services/aigc/tasks?task_id=1"
  ]) {
    await caller.send({ path })
    await caller.send({ path, as: null })
  }
}

import { accountApi } from "@tollgate/contract/account/accountApi"
import { adminApi } from "@tollgate/contract/admin/adminApi"
import type { Api, ApiRoute } from "@tollgate/contract/Api"
import type { Answer, Call, Caller } from "@tollgate/testing/openapi/Caller"
import { Document, isJson, type Json } from "@tollgate/testing/openapi/Document"
import { type Judge, judgeBy } from "@tollgate/testing/openapi/judge"
import { beforeAll, describe, expect, it } from "vitest"
import { rerank } from "../program.ts"
import { operatedGateway } from "./setup.ts"

const { account, address, admin, caller, post } = operatedGateway(
  JSON.stringify({ payments: { sandbox: true, transfer: "IBAN XX00" } })
)

/** So that a field that is not documented is found too. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (!isJson(value)) return value
  const all = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]))
  return isJson(value.properties) && value.additionalProperties === true ? { ...all, additionalProperties: false } : all
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Sends a call, and returns its answer with what of both the document does not allow. */
const judged = async (judge: Judge, sender: Caller, call: Call) => {
  const answer = await sender.send(call)
  const { as = sender.key, body, path } = call
  const problems = judge({
    method: call.method ?? (body === undefined ? "GET" : "POST"),
    url: path,
    requestHeaders: {
      ...(as === null ? {} : { authorization: `Bearer ${as}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    requestBody: encode(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)),
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: encode(answer.text),
    fromUpstream: false
  })
  return { answer, problems }
}

const judges = new Map<Api, Judge>()
const senderFor = ({ name }: Api): Caller => (name === "admin" ? admin() : caller())
const values = new Map<string, string>()

const callOf = ({ prefix }: Api, { example, method, path }: ApiRoute): Call => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = example.path?.[name] ?? ""
    return values.get(id) ?? id
  })
  const query = new URLSearchParams(example.query).toString()
  return {
    method,
    path: `${prefix}${filled}${query === "" ? "" : `?${query}`}`,
    ...(example.body === undefined ? {} : { body: example.body })
  }
}

const statusIn = async (api: Api, call: Call): Promise<number> => {
  const judge = judges.get(api)
  if (judge === undefined) throw new Error(`no document of the ${api.name} API`)
  const { answer, problems } = await judged(judge, senderFor(api), call)
  expect(problems, `${call.method ?? ""} ${call.path}: ${answer.text.slice(0, 500)}`).toEqual([])
  return answer.status
}

const documentIn = async (api: Api): Promise<Answer> => senderFor(api).send({ path: `${api.prefix}/openapi.json` })

beforeAll(async () => {
  await rerank(address(), caller().key)
  const { calls } = (await caller().send({ path: "/account/v1/calls" })).json() as {
    readonly calls: ReadonlyArray<{ readonly id: string }>
  }
  values.set("req_1", calls[0]?.id ?? "").set("acct_1", account())
  for (const api of [accountApi, adminApi]) {
    judges.set(api, judgeBy(new Document(closed((await documentIn(api)).json()) as Json)))
  }
})

/** What there is none of in this gateway. */
const absent = new Set([
  "account.changeGrant",
  "account.revokeGrant",
  "account.decideApproval",
  "account.demoKey",
  "admin.refundCall",
  "admin.changeGrant",
  "admin.revokeGrant",
  "admin.resendWebhook",
  "admin.changeOperator",
  "admin.endOperator",
  "admin.linkOperator",
  "admin.endOperatorToken"
])

/** No card is saved, an invoice is not refunded, and so on: this gateway has no file to write, and who asks has the shared token. */
const refused = new Map([
  ["account.changeRecharge", 409],
  ["admin.refundPayment", 409],
  ["admin.createOperatorToken", 403],
  ["admin.applyPrices", 409],
  ["admin.applyImport", 409]
])

const examples = [accountApi, adminApi].flatMap((api: Api) =>
  Object.values(api.groups).flatMap((routes) =>
    Object.entries(routes).map(([name, route]) => [`${api.name}.${name}`, api, route] as const)
  )
)

describe("the gateway's own APIs answer as their documents say", () => {
  it.each(examples)("%s", async (name, api, route) => {
    if (Object.values(route.example.path ?? {}).includes("key_1")) {
      values.set("key_1", (await post<{ id: string }>(`/accounts/${account()}/keys`, { label: "to change" })).id)
    }
    if (Object.values(route.example.path ?? {}).includes("pay_1")) {
      const body = { amount_micros_usd: 25_000_000, by: "invoice" }
      values.set("pay_1", ((await caller().send({ path: "/account/v1/payments", body })).json() as { id: string }).id)
    }
    expect(await statusIn(api, callOf(api, route))).toBe(
      absent.has(name) ? 404 : (refused.get(name) ?? route.status ?? 200)
    )
  })

  it.each<[Api, Call, number]>([
    [adminApi, { path: "/admin/v1/accounts", as: null }, 401],
    [adminApi, { path: "/admin/v1/accounts", body: { label: "" } }, 400],
    [adminApi, { path: "/admin/v1/accounts", body: { label: "A", labels: "B" } }, 400],
    [adminApi, { path: "/admin/v1/accounts", body: { label: "x".repeat(70_000) } }, 413],
    [adminApi, { path: "/admin/v1/accounts", method: "PATCH", body: {} }, 405],
    [adminApi, { path: "/admin/v1/accounts/acct_none" }, 404],
    [adminApi, { path: "/admin/v1/webhooks?limit=0" }, 400],
    [adminApi, { path: "/admin/v1/accounts/acct_none/topups", body: { amount_micros_usd: 1 } }, 404],
    [accountApi, { path: "/account/v1", as: "tg_wrong" }, 401],
    [accountApi, { path: "/account/v1/calls?status=9xx" }, 400],
    [accountApi, { path: "/account/v1/calls?%" }, 400],
    [accountApi, { path: "/account/v1/calls/req_none" }, 404],
    [accountApi, { path: "/account/v1/tasks", method: "PATCH", body: {} }, 405],
    [accountApi, { path: "/account/v1/snippets", body: { operation: "none", arguments: {} } }, 404]
  ])("%# refused", async (api, call, status) => {
    expect(await statusIn(api, call)).toBe(status)
  })

  it("and only to who may use them", async () => {
    expect((await admin().send({ path: "/admin/v1/openapi.json", as: null })).status).toBe(401)
    expect((await caller().send({ path: "/account/v1/openapi.json", as: null })).status).toBe(401)
    const document = (await documentIn(adminApi)).json()
    expect(document).toMatchObject({ openapi: "3.0.3", paths: { "/admin/v1/accounts": { get: expect.anything() } } })
  })
})

import type { ConsoleVisit } from "./consolePage.ts"

export const adminToken = "an-admin-token-for-tests"

/** The environment of a gateway on which `newKey` works. */
export const withAdmin = { env: { TOLLGATE_ADMIN_TOKEN: adminToken } } as const

export interface TestKey {
  readonly account: string
  readonly id: string
  readonly key: string
}

/** A key of a new account, whose limits no test reaches. */
export const newKey = async ({ address }: Pick<ConsoleVisit, "address">, terms: object = {}): Promise<TestKey> => {
  const admin = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
    const response = await fetch(`${address}/admin/v1${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { readonly id: string; readonly key: string }
  }
  const account = await admin("POST", "/accounts", { label: "visitor" })
  await admin("PATCH", `/accounts/${account.id}`, { tier: "Growth" })
  const { id, key } = await admin("POST", `/accounts/${account.id}/keys`, { label: "laptop", ...terms })
  return { account: account.id, id, key }
}

const chatBody = { model: "sandbox", messages: [{ role: "user", content: "Why do rivers bend?" }] }

/** Calls operations over HTTP as a program would, with a scenario of the sandbox or other headers. */
export const callsWith = ({ address }: Pick<ConsoleVisit, "address">, key: string) => {
  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal) =>
    fetch(`${address}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal })
    })
  const read = async <A>(path: string): Promise<A> => {
    const response = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${key}` } })
    return (await response.json()) as A
  }
  const stream = (scenario?: string, signal?: AbortSignal) =>
    post(
      "/v1/chat/completions",
      { ...chatBody, stream: true },
      scenario === undefined ? {} : { "x-tollgate-scenario": scenario },
      signal
    )
  return {
    read,
    stream,
    /**
     * A call in flight: its upstream sends a few events and then nothing, until `leave`.
     * Its body is read, as a response that nothing reads is cancelled once it is collected as garbage.
     */
    openCall: async () => {
      const controller = new AbortController()
      const response = await stream("stall; after=3", controller.signal)
      response.text().catch(() => {})
      return { leave: () => controller.abort() }
    },
    rerank: (headers?: Readonly<Record<string, string>>) =>
      post("/v1/rerank", { query: "rivers", documents: ["Rivers bend.", "Stones do not."] }, headers),
    chat: (scenario?: string) =>
      post("/v1/chat/completions", chatBody, scenario === undefined ? {} : { "x-tollgate-scenario": scenario })
  }
}

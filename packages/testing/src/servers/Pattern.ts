import type { PromiseClient } from "@tollgate/client"
import { budget, type BudgetReport } from "@tollgate/client/budget"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** What each user may spend, in USD. */
export const userBudget = "0.003"

/** What a user asks for. */
export interface Asked {
  readonly user: string
  /** Of the sandbox. */
  readonly scenario: string
}

/** How a user presses Stop, and sees the answer. */
export interface Watching {
  readonly signal: AbortSignal
  readonly onEvent: () => void
}

export interface Told {
  /** 402: the budget does not allow it. */
  readonly status: number | "stopped"
  /** What a failed one says. */
  readonly text?: string
}

/** A server that calls the gateway for its users. */
export interface Started {
  readonly ask: (asked: Asked, watching: Watching) => Promise<Told>
  readonly budgetOf: (user: string) => Promise<BudgetReport | undefined>
  readonly stop: () => Promise<unknown>
}

/** Is given a client over undici, and what it takes to make another one. */
export type Pattern = (
  client: PromiseClient,
  options: { readonly baseUrl: string; readonly credential: string }
) => Promise<Started>

export const input = {
  model: "sandbox",
  max_tokens: 60,
  messages: [{ role: "user" as const, content: "Why do rivers bend?" }]
}

/** A client for each user, made once. */
export const usersOf = (client: PromiseClient) => {
  const users = new Map<string, PromiseClient>()
  const of = (user: string): PromiseClient => {
    const known = users.get(user) ?? client.with({ budget: userBudget, tags: { user } })
    users.set(user, known)
    return known
  }
  return { of, budgetOf: async (user: string) => budget(of(user)) }
}

export const statusOf = (error: unknown): number =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "BudgetExceeded" ? 402 : 500

/** What a user's page does: reads events until the end, or until Stop closes the connection. */
export const askOver =
  (address: string): Started["ask"] =>
  async (asked, { onEvent, signal }) => {
    try {
      const headers = { "content-type": "application/json" }
      const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(asked), signal })
      if (!answer.ok) return { status: answer.status, text: await answer.text() }
      let text = ""
      for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += part
        for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
          if (text.slice(0, end).includes('"error"'))
            return { status: text.includes("BudgetExceeded") ? 402 : 500, text }
          text = text.slice(end + 2)
          onEvent()
        }
      }
      return { status: answer.status }
    } catch (error) {
      if (signal.aborted) return { status: "stopped" }
      throw error
    }
  }

/** Serves a listener of `node:http` on a free port of this machine. */
export const listen = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  }
  return { address: `http://127.0.0.1:${port}/`, server, stop }
}

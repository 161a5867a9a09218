import { outside } from "./gateway.ts"

/** The page waits for the answer. */
const deadlineMillis = 3_000

const ask = async (method: "GET" | "POST"): Promise<Readonly<Record<string, unknown>>> => {
  const signal = AbortSignal.timeout(deadlineMillis)
  const answer = await fetch(outside("/account/v1/demo"), { method, cache: "no-store", signal })
  return answer.ok ? ((await answer.json()) as Record<string, unknown>) : {}
}

/** Whether this gateway gives its demo key to this page: on the machine where it was started first. */
export const hasDemo = (): Promise<boolean> =>
  ask("GET").then(
    ({ available }) => available === true,
    () => false
  )

export const demoKey = (): Promise<string | undefined> =>
  ask("POST").then(
    ({ key }) => (typeof key === "string" ? key : undefined),
    () => undefined
  )

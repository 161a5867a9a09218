import { fill, type Names } from "./Names.ts"

interface Name {
  (names: Names): string
  /** In lower case, as a received request or answer has it. */
  readonly key: (names: Names) => string
}

// Filled once for each set of names: these are looked up on every request.
const named = (template: string): Name => {
  const filled = new WeakMap<Names, { readonly name: string; readonly key: string }>()
  const of = (names: Names) => {
    const known = filled.get(names)
    if (known !== undefined) return known
    const name = fill(template, names)
    const made = { name, key: name.toLowerCase() }
    filled.set(names, made)
    return made
  }
  return Object.assign((names: Names) => of(names).name, { key: (names: Names) => of(names).key })
}

/** `quote` asks what the call would cost instead of making it. */
export const costMode = named("X-{provider}-Cost-Mode")
/** The most that the caller will pay for this call, in decimal USD. */
export const maxPrice = named("X-{provider}-Max-Price-Usd")
export const cost = named("X-{provider}-Cost-Micros-Usd")
export const costState = named("X-{provider}-Cost-State")
/** `replay` asks for the stored answer of a completed call in place of a 409. */
export const idempotencyMode = named("X-{provider}-Idempotency-Mode")
export const contractHash = named("X-{provider}-Contract-Hash")
export const docsRevision = named("X-{provider}-Docs-Revision")

/** Asks a sandbox upstream for a scenario. */
export const scenario = named("X-{provider}-Scenario")

export const requestId = "X-Request-ID"
export const idempotencyKey = "Idempotency-Key"
export const idempotentReplayed = "Idempotent-Replayed"

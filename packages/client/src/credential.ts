import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Credential, Options } from "./Client.ts"
import { environment } from "./environment.ts"

/** The credential cannot be sent. The message says why, and does not show it. */
export class CredentialProblem extends TypeError {}

const redacted = (credential: Credential | null | undefined): Redacted.Redacted => {
  const made = Redacted.isRedacted(credential) ? credential : Redacted.make(credential ?? "", { label: "credential" })
  const value = Redacted.value(made)
  if (value === "") throw new CredentialProblem("No credential: pass `credential` or set TOLLGATE_KEY")
  if (/[^ -~]/.test(value))
    throw new CredentialProblem("The credential has a line break or another character that a header cannot have")
  return made
}

const settled = ({ credential = environment("TOLLGATE_KEY") }: Options) => credential

/** Throws if the options have no usable credential. One that a function or an effect returns is checked when it is needed. */
export const checkCredential = (options: Options): void => {
  const source = settled(options)
  if (typeof source !== "function" && !Effect.isEffect(source)) redacted(source)
}

/** The credential for a request. */
export const credentialOf = (options: Options): Effect.Effect<Redacted.Redacted, unknown> => {
  const source = settled(options)
  const checked = (credential: Credential | undefined) =>
    Effect.try({ try: () => redacted(credential), catch: (cause) => cause })
  if (Effect.isEffect(source)) return Effect.flatMap(source, checked)
  return typeof source === "function"
    ? Effect.flatMap(Effect.tryPromise({ try: async () => source(), catch: (cause) => cause }), checked)
    : checked(source)
}

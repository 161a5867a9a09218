import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { environment } from "../options/environment.ts"

export type Credential = string | Redacted.Redacted

/** Where the credential comes from. */
export interface CredentialOptions {
  /**
   * The API key or access token, or a function or an effect that returns one. Those run for each request, and again after a
   * 401. The credential goes into the `Authorization` header and nowhere else. Defaults to `TOLLGATE_KEY` of the environment.
   */
  readonly credential?:
    | (Credential | (() => Credential | Promise<Credential>) | Effect.Effect<Credential, unknown>)
    | undefined
}

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

const settled = ({ credential = environment("TOLLGATE_KEY") }: CredentialOptions) => credential

/** Throws if the options have no usable credential. One that a function or an effect returns is checked when it is needed. */
export const checkCredential = (options: CredentialOptions): void => {
  const source = settled(options)
  if (typeof source !== "function" && !Effect.isEffect(source)) redacted(source)
}

/** Not suspended: what is known at the start costs no time later. */
const checked = (credential: Credential | undefined): Effect.Effect<Redacted.Redacted, unknown> => {
  try {
    return Effect.succeed(redacted(credential))
  } catch (cause) {
    return Effect.fail(cause)
  }
}

/** The credential for a request. */
export const credentialOf = (options: CredentialOptions): Effect.Effect<Redacted.Redacted, unknown> => {
  const source = settled(options)
  if (Effect.isEffect(source)) return Effect.flatMap(Effect.catchDefect(source, Effect.fail), checked)
  return typeof source === "function"
    ? Effect.flatMap(Effect.tryPromise({ try: async () => source(), catch: (cause) => cause }), checked)
    : checked(source)
}

import type { Code } from "@tollgate/contract/errors/codes"
import type { Refusal } from "@tollgate/contract/errors/encode"
import * as Data from "effect/Data"

/** A request that this gateway does not carry out. Its shape on the wire is chosen at the edge, by family. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly refusal: Refusal
  readonly headers: Readonly<Record<string, string>>
}> {}

type Rest = Omit<Refusal, "code" | "message"> & { readonly headers?: Readonly<Record<string, string>> }

export const refuse = (code: Code, message: string, { headers = {}, ...rest }: Rest = {}): Refused =>
  new Refused({ refusal: { code, message, ...rest }, headers })

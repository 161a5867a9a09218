/** A call ended for a reason that its errors do not list: a wrong option of the client, or a bug. `cause` is what was thrown. */
export class Defect extends Error {
  readonly _tag = "Defect"

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

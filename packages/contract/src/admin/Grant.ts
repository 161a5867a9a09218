import type { GivenGrant } from "../account/Access.ts"

/** What a person gave to a program: `GET /admin/v1/grants`. */
export interface Grant extends Omit<GivenGrant, "own" | "last_used_at"> {
  readonly account: string
}

export interface Grants {
  readonly grants: ReadonlyArray<Grant>
}

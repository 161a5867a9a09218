import * as Context from "effect/Context"
import { AddressLimit } from "./NameLimit.ts"

/** What callers without a right credential may do. It outlives a configuration reload. */
export class CallerLimits extends Context.Service<
  CallerLimits,
  {
    /** Operations that need no credential, by address. */
    readonly open: AddressLimit
    /** Wrong credentials, by address. */
    readonly wrong: AddressLimit
    /** Credentials that were valid once. They do not wait behind guesses from their address. */
    readonly proven: Set<string>
  }
>()("@tollgate/gateway/CallerLimits") {
  static readonly make = (): CallerLimits["Service"] => ({
    open: new AddressLimit({ burst: 60, perMinute: 120 }),
    wrong: new AddressLimit({ burst: 60, perMinute: 60 }),
    proven: new Set()
  })
}

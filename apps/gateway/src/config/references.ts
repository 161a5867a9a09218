import { Prices, ReplayByDefault, SignupCredit, UpstreamRpm } from "@tollgate/gateway"
import * as Layer from "effect/Layer"
import type { Config } from "./Config.ts"

/** What the file sets of the gateway's own choices. */
export const references = (config: Pick<Config, "prices" | "replayByDefault" | "signupCredit" | "upstreamRpm">) =>
  Layer.mergeAll(
    Layer.succeed(Prices, config.prices),
    Layer.succeed(UpstreamRpm, config.upstreamRpm),
    Layer.succeed(ReplayByDefault, config.replayByDefault),
    config.signupCredit === undefined ? Layer.empty : Layer.succeed(SignupCredit, config.signupCredit)
  )

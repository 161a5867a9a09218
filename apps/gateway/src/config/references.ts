import { Gateway, Prices, SignupCredit, UpstreamRpm } from "@tollgate/gateway"
import * as Layer from "effect/Layer"
import type { Config } from "./Config.ts"

/** The gateway's settings that the file overrides. */
export const references = (config: Pick<Config, "prices" | "replayByDefault" | "signupCredit" | "upstreamRpm">) =>
  Layer.mergeAll(
    Layer.succeed(Prices, config.prices),
    Layer.succeed(UpstreamRpm, config.upstreamRpm),
    Layer.succeed(Gateway.ReplayByDefault, config.replayByDefault),
    config.signupCredit === undefined ? Layer.empty : Layer.succeed(SignupCredit, config.signupCredit)
  )

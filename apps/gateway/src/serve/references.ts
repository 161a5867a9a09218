import { SignupCredit, UpstreamRpm } from "@tollgate/gateway"
import { WebhookEndpoints, Webhooks } from "@tollgate/gateway/operator"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"

/** What the file sets once, at the start. A reload does not change it. */
export const references = (config: Pick<Config, "signupCredit" | "upstreamRpm" | "webhooks">) =>
  Layer.mergeAll(
    // A reload replaces the endpoints in it.
    Layer.sync(Webhooks, () => new WebhookEndpoints(config.webhooks)),
    Layer.succeed(UpstreamRpm, config.upstreamRpm),
    config.signupCredit === undefined ? Layer.empty : Layer.succeed(SignupCredit, config.signupCredit)
  )

import { RedisLimits } from "@tollgate/server/redis"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"
import { inject } from "vitest"
import type { Driver } from "./Driver.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly redis: boolean
  }
}

/** False: no Redis is installed, and the set-up of the tests has said so. */
export const hasRedis = inject("redis")

export const redisUrl: Effect.Effect<string> = Effect.promise(() => onDemand("redis"))

let prefixes = 0
export const newPrefix = (): string => `test_${process.pid}_${++prefixes}`

/** `leaseMillis`: how long a lease lives after its last renewal. By default as long as in memory. */
export const redisLimits = (address: string, prefix = newPrefix(), leaseMillis = 900_000): Driver => ({
  join: Effect.succeed((now) =>
    RedisLimits.layer({ address: Redacted.make(address), prefix, leaseMillis, ...(now === undefined ? {} : { now }) })
  )
})

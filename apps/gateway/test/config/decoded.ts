import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { type Config, decode } from "../../src/config/Config.ts"
import { describe } from "../../src/config/text/Problem.ts"

type Env = Readonly<Record<string, string>>

const textOf = (file: unknown): string => (typeof file === "string" ? file : JSON.stringify(file))

const run = <A, E>(effect: Effect.Effect<A, E>, env: Env): A =>
  effect.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { ...env } })),
    Effect.runSync
  )

export const decoded = (file: unknown, env: Env = {}): Config => run(decode(textOf(file)), env)

/** The printed problems, without the first line that counts them. */
export const errorsOf = (file: unknown, env: Env = {}): ReadonlyArray<string> => {
  const text = describe("f", run(Effect.flip(decode(textOf(file))), env))
  const lines = text.split("\n  ")
  return lines.length === 1 ? lines : lines.slice(1)
}

/** The problems without file, line and column. */
export const messagesOf = (file: unknown, env: Env = {}): ReadonlyArray<string> =>
  errorsOf(file, env).map((line) => line.replace(/^f:\d+:\d+: /, ""))

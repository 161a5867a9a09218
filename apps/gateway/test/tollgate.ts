import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { Output } from "../src/terminal/print.ts"
import { run } from "../src/commands/tollgate.ts"

// A gateway without the files of the console has no pages, and prints no link to them.
await onDemand("console")

type Environment = Readonly<Record<string, string>>

export interface Printed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const fork = (environment: Environment, words: ReadonlyArray<string>, print: (text: string) => void) =>
  run(words).pipe(
    Effect.provideService(Output, (text) => Effect.sync(() => print(text))),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { TOLLGATE_PORT: "0", ...environment } })
    ),
    // What the program prints to standard error, and its exit code; a defect fails the test.
    Effect.match({
      onSuccess: () => ({ code: 0, stderr: "" }),
      onFailure: ({ message }) => ({ code: 1, stderr: `${message}\n` })
    }),
    Effect.runFork
  )

/** Runs a command in this process, which takes milliseconds; `start` of program.ts starts the program itself. */
export const tollgate = async (environment: Environment, ...words: ReadonlyArray<string>): Promise<Printed> => {
  let stdout = ""
  const ended = await Effect.runPromise(Fiber.join(fork(environment, words, (text) => (stdout += text))))
  return { ...ended, stdout }
}

export interface Gateway {
  readonly banner: string
  readonly stop: () => Promise<void>
}

/** Starts a gateway in this process. */
export const startGateway = (environment: Environment): Promise<Gateway> =>
  new Promise((resolve, reject) => {
    let stdout = ""
    const fiber = fork(environment, ["start"], (text) => {
      stdout += text
      if (stdout.includes("Ctrl-C")) {
        resolve({ banner: stdout, stop: () => Effect.runPromise(Fiber.interrupt(fiber)) })
      }
    })
    fiber.addObserver((exit) =>
      reject(new Error(`the gateway did not start: ${Exit.isSuccess(exit) ? exit.value.stderr : String(exit.cause)}`))
    )
  })

import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { getErrorExitCode } from "effect/Runtime"
import { setFlagsFromString } from "node:v8"

export interface Options<E> {
  /** The text for standard error when the program fails. Default: the message of a failure, the trace of a defect. */
  readonly onFailure?: ((cause: Cause.Cause<E>) => string) | undefined
}

const describe = <E>(cause: Cause.Cause<E>): string => {
  const error = Cause.squash(cause)
  return Cause.hasDies(cause) || !(error instanceof Error) || error.message === "" ? Cause.pretty(cause) : error.message
}

/**
 * Runs a program as the process. The first SIGINT or SIGTERM interrupts it and waits for its finalizers, which makes a
 * clean exit (0); the second one does not wait. A failure is printed and exits with 1.
 */
export const runMain = <A, E>(effect: Effect.Effect<A, E>, options: Options<E> = {}): void => {
  let signalled = false
  const onSignal = (_: NodeJS.Signals, number: number) => {
    if (signalled) process.exit(128 + number)
    signalled = true
    fiber.interruptUnsafe(fiber.id)
  }
  // Before the program starts: a signal that finds no listener kills the process.
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
  const keepAlive = setInterval(() => {}, 2 ** 31 - 1)
  const fiber = Effect.runFork(effect)
  fiber.addObserver((exit) => {
    clearInterval(keepAlive)
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal)
    if (Exit.isSuccess(exit)) {
      if (signalled) process.exit(0)
    } else if (Cause.hasInterruptsOnly(exit.cause)) {
      process.exit(signalled ? 0 : 130)
    } else {
      const code = getErrorExitCode(Cause.squash(exit.cause))
      process.stderr.write(`${(options.onFailure ?? describe)(exit.cause)}\n`, () => process.exit(code))
    }
  })
}

/**
 * For a process that serves, and now and then has nothing to do. After eight such seconds V8 gives back what memory it can,
 * and with it the code that it has compiled, since no object of the kinds that this code is for is left: requests then take
 * three times as long for a second, and somewhat longer for good. Under this the memory is kept instead.
 */
export const stayReady = (): void => {
  // The option came with the V8 of Node 24; an unknown one is complained of.
  if (Number.parseInt(process.versions.node, 10) >= 24) setFlagsFromString("--memory-reducer-gc-count=0")
}

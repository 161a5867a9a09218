import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { getErrorExitCode, getErrorReported } from "effect/Runtime"
import { setFlagsFromString } from "node:v8"

export interface Options {
  /**
   * Whether another process stops this one. It ignores SIGINT, which a terminal sends to a program and all its workers, and
   * a second SIGTERM, which a service manager sends to all of them too. Default false.
   */
  readonly isWorker?: boolean | undefined
}

const describe = <E>(cause: Cause.Cause<E>): string => {
  const error = Cause.squash(cause)
  return Cause.hasDies(cause) || !(error instanceof Error) || error.message === "" ? Cause.pretty(cause) : error.message
}

/**
 * Runs a program as the process. The first SIGINT or SIGTERM interrupts it, waits for its finalizers and exits with 0; the
 * second exits at once. A failure is printed, unless Effect's marker `errorReported` is false, and exits with 1.
 */
export const runMain = <A, E>(effect: Effect.Effect<A, E>, options: Options = {}): void => {
  let signalled = false
  const onSignal = (signal: NodeJS.Signals, number: number) => {
    if (options.isWorker === true && (signalled || signal === "SIGINT")) return
    if (signalled) process.exit(128 + number)
    signalled = true
    fiber.interruptUnsafe(fiber.id)
  }
  // Before the program starts: a signal without a listener kills the process.
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
      const error = Cause.squash(exit.cause)
      const code = getErrorExitCode(error)
      if (!getErrorReported(error)) process.exit(code)
      process.stderr.write(`${describe(exit.cause)}\n`, () => process.exit(code))
    }
  })
}

/** Turns off what V8 does to save memory and makes a server slow. */
export const stayReady = (): void => {
  // After about eight idle seconds V8 frees memory and discards optimized code: requests then take three times as long for a
  // second, and stay slower. This keeps the memory instead. The flag exists since Node 24; V8 warns about flags it does not know.
  if (Number.parseInt(process.versions.node, 10) >= 24) setFlagsFromString("--memory-reducer-gc-count=0")
  // If V8 sees objects of the ledger outlive a few collections, it may create all later ones in old space, which then keep the
  // short-lived ones of every call alive: each collection takes ten times as long, for as long as the process runs.
  setFlagsFromString("--no-allocation-site-pretenuring")
}

import { expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as GroupCommit from "../../src/commit/GroupCommit.ts"

/** Enough ticks for everything that can proceed. */
const settle = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

/** `undefined` if it is still running, so that a test fails instead of hanging. */
const endOf = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.as(settle, fiber).pipe(Effect.map((one) => one.pollUnsafe()))

/** A group commit that waits for `goOn` before it completes. */
const open = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const goOn = yield* Deferred.make<void>()
  const begun: Array<ReadonlyArray<number>> = []
  const ended: Array<ReadonlyArray<number>> = []
  const submit = yield* GroupCommit.make({
    all: (commands: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        begun.push(commands)
        yield* Deferred.await(goOn)
        if (commands.includes(0)) return yield* Effect.fail("nothing")
        ended.push(commands)
        return commands.map((command) => command * 10)
      })
  }).pipe(Effect.provideService(Scope.Scope, scope))
  const ask = (command: number) => Effect.forkDetach(submit(command), { startImmediately: true })
  return { ask, begun, ended, goOn: Deferred.succeed(goOn, undefined), close: Scope.close(scope, Exit.void) }
})

const wasInterrupted = (exit: Exit.Exit<unknown, unknown> | undefined): boolean =>
  exit !== undefined && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

it.effect("commands that arrive during a commit share the next one", () =>
  Effect.gen(function* () {
    const { ask, begun, goOn } = yield* open
    const first = yield* ask(1)
    yield* settle
    const others = [yield* ask(2), yield* ask(3)]
    yield* settle
    expect(begun).toEqual([[1]])
    yield* goOn
    for (const [i, fiber] of [first, ...others].entries())
      expect(yield* endOf(fiber)).toEqual(Exit.succeed((i + 1) * 10))
    expect(begun).toEqual([[1], [2, 3]])
  })
)

it.effect("a caller gets what is made of the result, or of the failure, of its command", () =>
  Effect.gen(function* () {
    const submit = yield* GroupCommit.make({
      all: ([command]: ReadonlyArray<number>) => (command === 0 ? Effect.fail("nothing") : Effect.succeed([command]))
    })
    const told = (command: number) => submit(command, (exit) => Effect.succeed(Exit.isSuccess(exit) ? exit.value : -1))
    expect([yield* told(3), yield* told(0)]).toEqual([3, -1])
    const refused = Effect.flip(submit(3, () => Effect.fail("refused")))
    expect(yield* refused).toBe("refused")
  }).pipe(Effect.scoped)
)

it.effect("a command that fails does not fail the others of its group", () =>
  Effect.gen(function* () {
    const { ask, begun, ended, goOn } = yield* open
    const fibers = [yield* ask(1), yield* ask(0), yield* ask(2)]
    yield* goOn
    expect(yield* Effect.forEach(fibers, endOf)).toEqual([Exit.succeed(10), Exit.fail("nothing"), Exit.succeed(20)])
    expect(begun).toEqual([[1], [0, 2], [0], [2]])
    expect(ended).toEqual([[1], [2]])
  })
)

it.effect("a commit that has begun is completed when the scope closes, and its member gets the result", () =>
  Effect.gen(function* () {
    const { ask, begun, close, ended, goOn } = yield* open
    const member = yield* ask(1)
    yield* settle
    expect(begun).toEqual([[1]])
    const closing = yield* Effect.forkChild(close)
    expect(yield* endOf(closing)).toBe(undefined)
    yield* goOn
    expect(yield* endOf(member)).toEqual(Exit.succeed(10))
    expect(ended).toEqual([[1]])
    expect(yield* endOf(closing)).toEqual(Exit.void)
  })
)

it.effect("waiting commands are interrupted when the scope closes", () =>
  Effect.gen(function* () {
    const { ask, begun, close, goOn } = yield* open
    const first = yield* ask(1)
    yield* settle
    const waiting = [yield* ask(2), yield* ask(3)]
    const closing = yield* Effect.forkChild(close)
    for (const fiber of waiting) expect(wasInterrupted(yield* endOf(fiber))).toBe(true)
    yield* goOn
    expect(yield* endOf(first)).toEqual(Exit.succeed(10))
    expect(yield* endOf(closing)).toEqual(Exit.void)
    expect(wasInterrupted(yield* endOf(yield* ask(4)))).toBe(true)
    expect(begun).toEqual([[1]])
  })
)

it.effect("a group has at most 1,000 commands", () =>
  Effect.gen(function* () {
    const { ask, begun, goOn } = yield* open
    yield* goOn
    const fibers = yield* Effect.forEach(Array.from({ length: 2_500 }), (_, i) => ask(i + 1))
    expect((yield* Effect.forEach(fibers, Fiber.await)).every(Exit.isSuccess)).toBe(true)
    expect(begun.map((group) => group.length)).toEqual([1, 1_000, 1_000, 499])
  })
)

it.effect("single commands are committed at once; commands that arrive together are grouped", () =>
  Effect.gen(function* () {
    const { ask, begun, goOn } = yield* open
    yield* goOn
    /** The groups begun at once, and those begun in the end. */
    const asked = Effect.fnUntraced(function* (...commands: ReadonlyArray<number>) {
      const before = begun.length
      for (const command of commands) yield* ask(command)
      const atOnce = begun.slice(before)
      yield* settle
      return [atOnce, begun.slice(before)]
    })
    expect(yield* asked(1)).toEqual([[[1]], [[1]]])
    expect(yield* asked(2)).toEqual([[[2]], [[2]]])
    expect(yield* asked(3, 4, 5)).toEqual([[[3]], [[3], [4, 5]]])
    expect(yield* asked(6, 7)).toEqual([[], [[6, 7]]])
    expect(yield* asked(8)).toEqual([[], [[8]]])
    expect(yield* asked(9)).toEqual([[[9]], [[9]]])
    expect(yield* asked(10, 11)).toEqual([[[10]], [[10], [11]]])
    expect(yield* asked(12, 13)).toEqual([[], [[12, 13]]])
  })
)

it.effect("what the first step decides stands, whatever becomes of the rest of the group", () =>
  Effect.gen(function* () {
    const steps: Array<readonly [string, ReadonlyArray<number>]> = []
    const submit = yield* GroupCommit.make<number, string, string>({
      ordinary: (commands) => {
        steps.push(["ordinary", commands])
        return Effect.succeed(commands.map((command) => (command > 10 ? undefined : `ordinary ${command}`)))
      },
      all: (commands) => {
        steps.push(["all", commands])
        return commands.includes(99) ? Effect.fail("nothing") : Effect.succeed(commands.map((one) => `all ${one}`))
      }
    })
    const ask = (command: number) => Effect.exit(submit(command))
    const exits = yield* Effect.all([0, 1, 11, 2, 99].map(ask), { concurrency: "unbounded" })
    expect(exits).toEqual([
      Exit.succeed("ordinary 0"),
      Exit.succeed("ordinary 1"),
      Exit.succeed("all 11"),
      Exit.succeed("ordinary 2"),
      Exit.fail("nothing")
    ])
    expect(steps).toEqual([
      ["ordinary", [0]],
      ["ordinary", [1, 11, 2, 99]],
      ["all", [11, 99]],
      ["ordinary", [11]],
      ["all", [11]],
      ["ordinary", [99]],
      ["all", [99]]
    ])
  }).pipe(Effect.scoped)
)

it.effect("while the store is gone, a group fails after two of its commands have tried alone", () =>
  Effect.gen(function* () {
    const begun: Array<ReadonlyArray<number>> = []
    let isGone = true
    const submit = yield* GroupCommit.make<number, number, string>({
      isGone: (error) => error === "gone",
      all: (commands) => {
        begun.push(commands)
        return isGone ? Effect.fail("gone") : Effect.succeed(commands)
      }
    })
    const asked = (commands: ReadonlyArray<number>) =>
      Effect.forEach(commands, (command) => Effect.exit(submit(command)), { concurrency: "unbounded" })
    expect(yield* asked([1, 2, 3, 4, 5])).toEqual([1, 2, 3, 4, 5].map(() => Exit.fail("gone")))
    expect(begun).toEqual([[1], [2, 3, 4, 5], [2], [3]])
    isGone = false
    expect(yield* asked([6, 7])).toEqual([Exit.succeed(6), Exit.succeed(7)])
  }).pipe(Effect.scoped)
)

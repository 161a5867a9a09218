import { formatUsd, fromMicros } from "@tollgate/contract/Money"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import { retryAfter, type Short } from "../ledger/Balance.ts"
import type { Command, CommandOf, Result } from "../ledger/Command.ts"
import { Line, Waiter } from "../ledger/Line.ts"
import { OnCommit } from "./OnCommit.ts"
import type { Reservation, Reserved } from "../ledger/Reservation.ts"

export interface WaitOptions {
  /** How long a call waits for money that other calls have reserved. 0: none waits. */
  readonly longestMillis: number
  /** The most calls of one account that wait. One more is refused at once, or one of the key that has most of them. */
  readonly most: number
  /** How often a call is tried that waits for what this process cannot see: other gateways, top-ups, raised budgets. */
  readonly everyMillis: number
}

export const ReservationWait = Context.Reference<WaitOptions>("@tollgate/ledger/ReservationWait", {
  defaultValue: () => ({ longestMillis: 10_000, most: 200, everyMillis: 500 })
})

/** Is given what to run when the process begins to stop. */
export const OnStopping = Context.Reference<(run: () => void) => void>("@tollgate/ledger/OnStopping", {
  defaultValue: () => () => {}
})

type Reserve = CommandOf<"reserve">
type Decided = Exit.Exit<Reserved, Refused>

/** The most calls of all accounts that wait. */
const mostOfAll = 10_000

const stopping: Decided = Exit.fail(refuse("shutting_down", "The gateway is stopping; nothing was executed."))

/** Of a call that was not tried, because others come before it. */
const notTried = ({ reservation }: Reserve): Refused =>
  refuse(
    "balance_reserved",
    `The call can cost up to ${formatUsd(fromMicros(reservation.amount))} USD; what the account has left is reserved for calls` +
      " under way, and other calls wait for it. Try again when some of them have ended.",
    { retryAfter }
  )

/** A call in a line. */
class Waiting extends Waiter {
  readonly command: Reserve
  /** What it gets if its time is over. */
  refused: Refused
  isTried = false
  hasLeft = false
  decided: Decided | undefined
  wake: () => void = () => {}

  constructor(command: Reserve, refused: Refused, now: number) {
    super(command.reservation.key, command.reservation.amount, now)
    this.command = command
    this.refused = refused
  }
}

/** The line of an account. While it is not empty, a fiber tries those whose turn it is. */
class AccountLine extends Line<Waiting> {
  readonly changed = Latch.makeUnsafe(false)
  /** Counts how often money was set free. */
  times = 0

  override freed(): void {
    super.freed()
    this.times++
    this.changed.openUnsafe()
  }
}

interface Deciding {
  /** Decides on a reservation, and commits it if it is granted. */
  readonly decide: (command: Reserve) => Effect.Effect<Reserved | Short, Refused>
  /** Ends a reservation that nobody needs. */
  readonly giveBack: (reservation: Reservation) => Effect.Effect<void>
}

/**
 * Calls whose money is only reserved wait for their turn here, in memory: they hold no transaction and no connection. The
 * ledger's rules decide each time, so a call's money is given once, whoever else asks for it.
 */
export const make = Effect.fnUntraced(function* ({ decide, giveBack }: Deciding) {
  const { everyMillis, longestMillis, most } = yield* ReservationWait
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const lines = new Map<string, AccountLine>()
  let count = 0
  let isStopping = false
  const now = () => clock.currentTimeMillisUnsafe()

  const end = (line: AccountLine, waiting: Waiting, decided: Decided): void => {
    line.ended(waiting)
    waiting.decided = decided
    waiting.wake()
    if (waiting.hasLeft && isReserved(decided)) run(giveBack(decided.value.reservation))
  }

  /** One that is being tried stays in line until that is decided. */
  const leave = (line: AccountLine, waiting: Waiting): void => {
    waiting.hasLeft = true
    if (waiting.isTried) return
    line.left(waiting, now())
    line.changed.openUnsafe()
  }

  const attempt = Effect.fnUntraced(function* (line: AccountLine, batch: ReadonlyArray<Waiting>) {
    const { times } = line
    const at = now()
    for (const waiting of batch) waiting.isTried = true
    const decisions = yield* Effect.forEach(
      batch,
      ({ command }) =>
        Effect.exit(decide({ ...command, now: at, reservation: { ...command.reservation, createdAt: at } })),
      { concurrency: "unbounded" }
    )
    let allFit = true
    batch.forEach((waiting, i) => {
      const decided = decisions[i]!
      waiting.isTried = false
      const short = shortIn(decided)
      if (short === undefined) return end(line, waiting, decided as Decided)
      allFit = false
      line.lacked(waiting, short.of, times === line.times)
      waiting.refused = short.refused
      if (waiting.hasLeft) leave(line, waiting)
      else if (isStopping) end(line, waiting, stopping)
    })
    if (allFit) line.allFit()
  })

  const serve = Effect.fnUntraced(function* (line: AccountLine) {
    while (line.size > 0) {
      const batch = line.next(now())
      if (batch.length > 0) {
        yield* attempt(line, batch)
        continue
      }
      line.changed.closeUnsafe()
      const changed = yield* Effect.timeoutOption(line.changed.await, everyMillis)
      if (Option.isNone(changed)) line.freed()
    }
  })

  const join = (account: string, waiting: Waiting): AccountLine => {
    const known = lines.get(account)
    const line = known ?? new AccountLine(longestMillis)
    line.add(waiting)
    line.changed.openUnsafe()
    if (known === undefined) {
      lines.set(account, line)
      run(
        Effect.ensuring(
          serve(line),
          Effect.sync(() => lines.get(account) === line && lines.delete(account))
        )
      )
    }
    return line
  }

  /** In a full line, a call of the key that has most of them makes room for a key that has fewer. */
  const displace = ({ reservation: { account, key } }: Reserve): Waiting | undefined => {
    const line = lines.get(account)
    const last = line?.lastOfMost(key, ({ isTried }) => !isTried)
    if (line === undefined || last === undefined) return undefined
    line.left(last, now())
    last.decided = Exit.fail(last.refused)
    return last
  }

  const enter = (command: Reserve, short?: Short): Effect.Effect<Reserved, Refused> => {
    const { account } = command.reservation
    const refused = short?.refused ?? notTried(command)
    if (isStopping || longestMillis <= 0 || count >= mostOfAll) return Effect.fail(refused)
    const isFull = (lines.get(account)?.size ?? 0) >= most
    const displaced = isFull ? displace(command) : undefined
    if (isFull && displaced === undefined) return Effect.fail(refused)
    const waiting = new Waiting(command, refused, now())
    waiting.lacks = short?.of
    count++
    const line = join(account, waiting)
    // It runs at once, and must find the place taken.
    displaced?.wake()
    const woken = Effect.callback<void>((resume) => {
      waiting.wake = () => resume(Effect.void)
      if (waiting.decided !== undefined) resume(Effect.void)
    })
    const decided = Effect.suspend(() => {
      count--
      if (waiting.decided === undefined) leave(line, waiting)
      return waiting.decided ?? Effect.fail(waiting.refused)
    })
    const givenUp = Effect.suspend(() => {
      count--
      if (waiting.decided === undefined) leave(line, waiting)
      else if (isReserved(waiting.decided)) return giveBack(waiting.decided.value.reservation)
      return Effect.void
    })
    // The caller may leave while it waits, and at no other moment: what it was granted would stay reserved.
    return Effect.interruptible(Effect.timeoutOption(woken, longestMillis)).pipe(
      Effect.onError(() => givenUp),
      Effect.andThen(decided),
      Effect.uninterruptible
    )
  }

  const stop = (): void => {
    isStopping = true
    for (const line of lines.values()) {
      for (const waiting of line.all()) if (!waiting.isTried) end(line, waiting, stopping)
      line.changed.openUnsafe()
    }
  }
  ;(yield* OnStopping)(stop)
  ;(yield* OnCommit)?.waitingIs(() => count)
  yield* Effect.addFinalizer(() => Effect.sync(stop))

  return {
    /** Whether other calls of the account wait, so that a new one takes its place behind them. */
    isAwaited: (account: string): boolean => lines.size > 0 && !isStopping && lines.has(account),
    /** Waits until the call gets its money or is refused. `short`: the decision on it, if there was one. */
    enter: (command: Reserve, short?: Short) => Effect.suspend(() => enter(command, short)),
    /** To be called with what was committed. Commands without a result were not. */
    committed: (commands: ReadonlyArray<Command>, results: ReadonlyArray<Result | undefined>): void => {
      if (lines.size === 0) return
      commands.forEach(({ kind, reservation }, i) => {
        if (kind !== "reserve" && results[i] !== undefined) lines.get(reservation.account)?.freed()
      })
    }
  }
})

const shortIn = (decided: Exit.Exit<Reserved | Short, Refused>): Short | undefined =>
  Exit.isSuccess(decided) && decided.value.kind === "short" ? decided.value : undefined

const isReserved = (decided: Decided): decided is Exit.Success<Extract<Reserved, { readonly kind: "reserved" }>> =>
  Exit.isSuccess(decided) && decided.value.kind === "reserved"

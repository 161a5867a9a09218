import { TransactionLog, UsageLog } from "@tollgate/gateway"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { dayMillis, from, rejectKeyItself, to, toggle } from "./inputs.ts"
import { inReadOnlyStore } from "./inStore.ts"
import * as Print from "../terminal/print.ts"

const flags = {
  entries: toggle("entries", "Entries instead of calls: top-ups, credits, adjustments, reversals and refunds"),
  format: Flag.Literals("format", ["csv", "ndjson"]).pipe(
    Flag.withDescription("Amounts are micro-USD, times UTC"),
    Flag.withDefault("csv")
  ),
  account: Flag.String("account").pipe(Flag.withDescription("Only this account: acct_…"), Flag.optional),
  key: Flag.String("key").pipe(
    Flag.withDescription("Only calls of the key with this id: key_…"),
    rejectKeyItself,
    Flag.optional
  ),
  from,
  to
}

const noKey = Print.fail("An entry belongs to an account, not to a key: leave --key out, or export calls.")

export const exportLog = Command.make("export", flags, ({ account, entries, format, from, key, to }) => {
  const filter = {
    account: Option.getOrUndefined(account),
    start: Option.getOrUndefined(from),
    end: Option.getOrUndefined(Option.map(to, (day) => day + dayMillis))
  }
  if (entries && Option.isSome(key)) return noKey
  const [ofEntries, ofCalls] =
    format === "csv" ? [TransactionLog.csv, UsageLog.csv] : [TransactionLog.ndjson, UsageLog.ndjson]
  const text = entries
    ? ofEntries(TransactionLog.stream(filter))
    : ofCalls(UsageLog.stream({ ...filter, key: Option.getOrUndefined(key) }))
  return inReadOnlyStore(Stream.runForEach(text, Print.write))
}).pipe(Command.withDescription("Print every call on one line, or every entry"))

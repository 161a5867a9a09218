import { UsageLog } from "@tollgate/gateway"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { dayMillis, from, rejectKeyItself, to } from "./inputs.ts"
import { inReadOnlyStore } from "./inStore.ts"
import * as Print from "../terminal/print.ts"

const flags = {
  format: Flag.Literals("format", ["csv", "ndjson"]).pipe(
    Flag.withDescription("Amounts are micro-USD, times UTC"),
    Flag.withDefault("csv")
  ),
  account: Flag.String("account").pipe(Flag.withDescription("Only calls of this account: acct_…"), Flag.optional),
  key: Flag.String("key").pipe(
    Flag.withDescription("Only calls of the key with this id: key_…"),
    rejectKeyItself,
    Flag.optional
  ),
  from,
  to
}

export const exportCalls = Command.make("export", flags, ({ account, format, from, key, to }) => {
  const calls = UsageLog.stream({
    account: Option.getOrUndefined(account),
    key: Option.getOrUndefined(key),
    start: Option.getOrUndefined(from),
    end: Option.getOrUndefined(Option.map(to, (day) => day + dayMillis))
  })
  const text = format === "csv" ? UsageLog.csv(calls) : UsageLog.ndjson(calls)
  return inReadOnlyStore(Stream.runForEach(text, Print.write))
}).pipe(Command.withDescription("Print every call on one line"))

import type { ImportPreview, ImportRecord, ImportRequest, imports as routes } from "@tollgate/contract/admin/Import"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import { number, type Row, type Rows, text } from "@tollgate/ledger/store/rows"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { type AdminRequest, changeRecords, recordOf } from "./changeRecords.ts"

export interface PreparedImport {
  readonly file: string
  readonly count: number
  /** Writes and reloads. A conflict: nothing was changed, and its message says why. */
  readonly write: Effect.Effect<void, AccountsError | Refused>
}

export interface ImportControl {
  readonly preview: (asked: ImportRequest) => Effect.Effect<ImportPreview, AccountsError | Refused>
  /** Writes nothing yet. `fingerprint`: that of the files that the caller has seen. */
  readonly prepare: (
    asked: ImportRequest,
    fingerprint: string
  ) => Effect.Effect<PreparedImport, AccountsError | Refused>
}

const importRecordOf = (row: Row): ImportRecord => ({
  ...recordOf(row),
  upstream: text(row, "upstream"),
  file: text(row, "file"),
  operations: number(row, "operations")
})

export const importHandlers = (
  { prepare, preview }: ImportControl,
  rows: Rows
): Handlers<typeof routes, AdminRequest> => {
  const { begin, end, list } = changeRecords(rows, "import_records", ["upstream", "file", "operations"])
  return {
    previewImport: ({ body }) => preview(body),
    applyImport: Effect.fnUntraced(function* ({ body: { fingerprint, note = "", ...request } }, asked) {
      const { count, file, write } = yield* prepare(request, fingerprint)
      yield* begin(asked, note, { upstream: request.upstream, file, operations: count })
      // What has begun is finished, whether or not the caller waits.
      yield* write.pipe(
        Effect.onExit((exit) => end(asked, Exit.isSuccess(exit) ? "applied" : "refused")),
        Effect.uninterruptible
      )
      return { file, count }
    }),
    importRecords: () => Effect.map(list, (rows) => ({ records: rows.map(importRecordOf) }))
  }
}

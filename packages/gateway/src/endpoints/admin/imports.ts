import type { ImportPreview, ImportRequest, imports as routes } from "@tollgate/contract/admin/Import"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Trail } from "@tollgate/ledger/trail/Trail"
import * as Effect from "effect/Effect"
import type { Handlers } from "../managementApi/ApiRouter.ts"

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

export const importHandlers = ({ prepare, preview }: ImportControl, trail: Trail): Handlers<typeof routes> => ({
  previewImport: ({ body }) => preview(body),
  applyImport: Effect.fnUntraced(function* ({ body: { fingerprint, note, ...request } }) {
    const { count, file, write } = yield* prepare(request, fingerprint)
    const after = { upstream: request.upstream, file, operations: count }
    yield* trail.around({ action: "API added", subject: "configuration", after, why: note }, write)
    return { file, count }
  })
})

import { fetchDocument, ledgerTotals, SalesSource, SignedSnapshot } from "@tollgate/gateway"
import type { Carrier, NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Signature } from "effect/crypto/Signature"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { open } from "node:fs/promises"
import type { SalesData } from "../config/sections/salesData.ts"

class FileNotRead extends Data.TaggedError("FileNotRead") {}

/** Reads at most one byte more than is accepted: the file may be anything. */
const readFile = (path: string): Effect.Effect<Uint8Array, FileNotRead> =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(path)
      try {
        // A pipe or a device could block forever.
        if (!(await file.stat()).isFile()) throw new FileNotRead()
        const { buffer, bytesRead } = await file.read(Buffer.alloc(SignedSnapshot.maxDocumentBytes + 1))
        if (bytesRead > SignedSnapshot.maxDocumentBytes) throw new FileNotRead()
        return buffer.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    catch: () => new FileNotRead()
  })

const documentOf = (
  from: Exclude<SalesData, { readonly from: "ledger" }>
): Effect.Effect<Uint8Array, FileNotRead | NotCarried, Carrier> =>
  from.from === "file" ? readFile(from.path) : fetchDocument(from.url, from.private)

/** The source that the configuration names. */
export const salesSource = Effect.fnUntraced(function* (from: SalesData) {
  const context = yield* Effect.context<SqlClient | Signature | Carrier>()
  if (from.from === "ledger") return new SalesSource(Effect.provideContext(ledgerTotals, context))
  // Fails for a key of the wrong length, which the configuration does not let through.
  const verify = yield* Effect.orDie(SignedSnapshot.make(from.publicKey))
  return new SalesSource(Effect.provideContext(Effect.flatMap(documentOf(from), verify), context))
})

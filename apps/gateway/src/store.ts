import { AccountsSql, Cipher, KeyHash, KeysSql, LedgerSql, migrate } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as dataFolder from "./dataFolder.ts"
import type { Settings } from "./Settings.ts"

/** Accounts, keys and the tables they are in: what the server and the command line share. */
export const store = (settings: Pick<Settings, "data">) =>
  Layer.unwrap(
    Effect.map(dataFolder.open(settings.data), ({ database, secret }) =>
      Layer.mergeAll(KeysSql.layer, AccountsSql.layer).pipe(
        Layer.provide(KeyHash.layer(secret)),
        Layer.provideMerge(
          Layer.provide(Cipher.layer(secret), Layer.mergeAll(Aead.layerWebCrypto, Kdf.layerWebCrypto))
        ),
        Layer.provide(Mac.layerWebCrypto),
        Layer.provideMerge(SecureRandom.layerWebCrypto),
        Layer.provide(Layer.effectDiscard(Effect.andThen(migrate, LedgerSql.checkpoint))),
        Layer.provideMerge(NodeSqliteClient.layer({ filename: database }))
      )
    )
  )

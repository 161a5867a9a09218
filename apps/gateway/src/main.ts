#!/usr/bin/env node
import { NodeRuntime } from "@tollgate/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { settings, SettingsError } from "./Settings.ts"
import { layer } from "./start.ts"

const program = Effect.gen(function* () {
  const chosen = yield* settings
  const unusableStore = ({ message }: Error) => Effect.fail(new SettingsError({ message: `TOLLGATE_DATA: ${message}` }))
  return yield* Layer.launch(layer(chosen)).pipe(
    Effect.catchTags({
      ListenError: ({ message }) =>
        Effect.fail(new SettingsError({ message: `${message}; set TOLLGATE_HOST or TOLLGATE_PORT to another` })),
      SqlError: unusableStore,
      MigrationError: unusableStore
    })
  )
})

// What is stored is for its owner's eyes only.
process.umask(0o077)

NodeRuntime.runMain(program)

#!/usr/bin/env node
import { NodeRuntime } from "@tollgate/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { settings, SettingsError } from "./Settings.ts"
import { layer } from "./start.ts"

const program = Effect.gen(function* () {
  const chosen = yield* settings
  return yield* Layer.launch(layer(chosen)).pipe(
    Effect.catchTag("ListenError", ({ message }) =>
      Effect.fail(new SettingsError({ message: `${message}; set TOLLGATE_HOST or TOLLGATE_PORT to another` }))
    )
  )
})

NodeRuntime.runMain(program)

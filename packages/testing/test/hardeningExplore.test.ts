import { layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { explore } from "./hardening/explore.ts"
import { all } from "./hardening/bombs.ts"
import { Target } from "./hardening/target.ts"
layer(Target.layer(), { excludeTestServices: true })("explore", (it) => {
  it.effect(
    "all",
    () =>
      Effect.gen(function* () {
        for (const [group, entries] of Object.entries(all)) {
          console.log("## " + group)
          for (const [name, sent] of Object.entries(entries)) yield* explore(name, sent)
        }
      }),
    300_000
  )
})

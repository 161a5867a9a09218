import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Effect from "effect/Effect"
import { Worker } from "node:worker_threads"
import { codeOf } from "../../config/replaceFile.ts"
import type { ImportJob, ImportPlan } from "./job.ts"

export type Answer = { readonly plan: ImportPlan } | { readonly problem: string }

const program = new URL(`./importWorker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url)

const time = "60 seconds"
const memory = { maxOldGenerationSizeMb: 768 }

const refusal = (message: string) => refuse("invalid_request", message, { param: "document" })

/** A document comes from elsewhere and may take long: it has a thread of its own, with bounds for time and memory. */
export const planInWorker = (job: ImportJob, resourceLimits = memory): Effect.Effect<ImportPlan, Refused> =>
  Effect.callback<ImportPlan, Refused>((resume) => {
    const worker = new Worker(program, { workerData: job, env: {}, execArgv: [], resourceLimits })
    worker.once("message", (answer: Answer) =>
      resume("plan" in answer ? Effect.succeed(answer.plan) : Effect.fail(refusal(answer.problem)))
    )
    worker.once("error", (cause) =>
      resume(
        codeOf(cause) === "ERR_WORKER_OUT_OF_MEMORY"
          ? Effect.fail(refusal("The document needs too much memory. Choose a smaller one."))
          : Effect.die(cause)
      )
    )
    worker.once("exit", (code) => resume(Effect.die(new Error(`the import ended early with code ${code}`))))
    return Effect.promise(() => worker.terminate())
  }).pipe(
    Effect.timeoutOrElse({
      duration: time,
      orElse: () => Effect.fail(refusal(`The document takes longer than ${time} to import. Choose a smaller one.`))
    })
  )

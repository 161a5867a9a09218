import * as Result from "effect/Result"
import { parentPort, workerData } from "node:worker_threads"
import { type ImportJob, planImport } from "./job.ts"
import type { Answer } from "./inWorker.ts"

const answer: Answer = Result.match(planImport(workerData as ImportJob), {
  onSuccess: (plan) => ({ plan }),
  onFailure: (problem) => ({ problem })
})
parentPort?.postMessage(answer)

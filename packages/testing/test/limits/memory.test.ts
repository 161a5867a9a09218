import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { Limits } from "@tollgate/gateway"
import { limitsSuite } from "@tollgate/testing/limits/limitsSuite"

limitsSuite("limits in memory", { layer: Limits.layerMemory, runs: countOf("LIMIT_RUNS", 10, 100) })

import { Limits } from "@tollgate/gateway"
import { limitsSuite } from "@tollgate/testing/limits/limitsSuite"

limitsSuite("limits in memory", { layer: Limits.layerMemory, runs: 100 })

import { isAll } from "@tollgate-tooling/programs/counts.ts"
import { Host, rerankSuite } from "@tollgate/testing"

rerankSuite("Node's HTTP server", Host.layerNode)
if (isAll) {
  rerankSuite("a function call", Host.layerInProcess)
  rerankSuite("a web handler", Host.layerWeb)
}

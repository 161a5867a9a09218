import { Host, rerankSuite } from "@tollgate/testing"

rerankSuite("a function call", Host.layerInProcess)
rerankSuite("a web handler", Host.layerWeb)
rerankSuite("Node's HTTP server", Host.layerNode)

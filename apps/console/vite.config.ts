import { theme } from "@tollgate/gateway/html"
import { defineConfig, type Plugin } from "vite"

/** The colors are those of every page of the gateway. */
const gatewayTheme: Plugin = {
  name: "gateway-theme",
  resolveId: (id) => (id === "virtual:theme.css" ? `\0${id}` : undefined),
  load: (id) => (id === "\0virtual:theme.css" ? theme : undefined)
}

export default defineConfig({
  // The gateway puts the path of its address before these.
  base: "./",
  plugins: [gatewayTheme],
  build: {
    target: "es2022",
    // A policy of `style-src 'self'` allows no inlined files.
    assetsInlineLimit: 0,
    // `pnpm check sizes` reads which file belongs to which page.
    manifest: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false
  },
  server: { proxy: { "^/(account/v1|admin/v1|v1|v1beta|apis|mcp|oauth|docs)": "http://127.0.0.1:8787" } }
})

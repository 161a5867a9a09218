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
  resolve: {
    // Preact does what the pages need of React in a tenth of the bytes. Sources and types stay those of React.
    alias: [
      { find: /^react-dom\/client$/, replacement: "preact/compat/client" },
      { find: /^react-dom$/, replacement: "preact/compat" },
      { find: /^react$/, replacement: "preact/compat" },
      { find: /^react\/jsx-runtime$/, replacement: "preact/jsx-runtime" },
      { find: /^react\/jsx-dev-runtime$/, replacement: "preact/jsx-dev-runtime" }
    ],
    dedupe: ["preact"]
  },
  build: {
    target: "es2022",
    // One file of styles for all pages: a few kilobytes more, one to three requests fewer.
    cssCodeSplit: false,
    // A policy of `style-src 'self'` allows no inlined files.
    assetsInlineLimit: 0,
    // `pnpm check sizes` reads which file belongs to which page.
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A page is at most five files more: what all pages share, what lists of calls, keys and money share, and its own.
          groups: [
            { name: "start", tags: ["$initial"] },
            {
              name: "shared",
              test: /^(?!.*\/pages\/(?:billing|calls|grants|keys|operator|overview)\/)/,
              minShareCount: 2
            },
            {
              name: "lists",
              test: /\/pages\/(?:billing|calls|grants|keys|overview)\/(?!\w+(?:Page|Card)\.|payments\.)|\/operator\/(?:\w+\.tsx|account\/CallsCard|prices\/ConfigurationChanges)/
            }
          ]
        }
      }
    },
    reportCompressedSize: false
  },
  server: { proxy: { "^/(account/v1|admin/v1|console|v1|v1beta|apis|mcp|oauth|docs)": "http://127.0.0.1:8787" } }
})

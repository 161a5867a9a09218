import { Page } from "../../ui/Page.tsx"

export const PlaygroundPage = () => <Page title="Playground">…</Page>

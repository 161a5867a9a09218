import { Page } from "../../ui/Page.tsx"

export const ToolsPage = () => <Page title="Tools">…</Page>

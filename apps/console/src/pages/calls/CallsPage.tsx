import { Page } from "../../ui/Page.tsx"

export const CallsPage = () => <Page title="Calls">…</Page>

import { Page } from "../../ui/Page.tsx"

export const GrantsPage = () => <Page title="Grants">…</Page>

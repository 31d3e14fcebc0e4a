// The parts that are loaded after the panel.

import css from './more.css?inline'

export { uploadFiles } from './files'
export { Menu } from './Menu'
export { Notices } from './Notices'
export { PreChat } from './PreChat'
export { Rich } from './Rich'
export { ring } from './ring'
export { countInTitle } from './title'
export { UploadList } from './UploadList'
export { css }

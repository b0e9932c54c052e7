# Before it is packaged: rpm only makes times of files earlier, never later.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
	execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -hd @$ENV{SOURCE_DATE_EPOCH} {} +
		COMMAND_ERROR_IS_FATAL ANY)
endif()

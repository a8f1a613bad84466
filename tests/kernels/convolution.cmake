# examples/t1/convolution.cu on the emulation. A point:
# filter_width/filter_height/block_size_x/block_size_y/tile_size_x/tile_size_y/use_padding/read_only
set(convolution_kernel "${PROJECT_SOURCE_DIR}/examples/t1/convolution.cu")
set(convolution_header "tests/kernels/convolution_point.h")
set(convolution_names filter_width filter_height block_size_x block_size_y tile_size_x tile_size_y
    use_padding read_only)
family_points("${generated}/convolution.cpp" "${convolution_header}" "${convolution_kernel}" convolution_
  "${convolution_names}" 3/3/16/1/1/1/0/0 17/17/16/16/1/1/1/0 33/5/48/4/2/3/1/1 5/33/32/2/3/8/0/1
  7/9/128/1/1/7/0/0 15/3/80/8/1/2/1/0 31/33/16/32/5/1/0/1)
simt_executable(test_convolution_simt test_convolution_simt.cpp "${generated}/convolution.cpp")
add_test(NAME kernels.convolution_simt COMMAND test_convolution_simt)

# Faults that the checks must find: NAME, point, the text of the kernel and its replacement.
set(convolution_faults "")
function(convolution_fault name point from to)
  set(broken "${generated}/faults/convolution_${name}.cu")
  family_fault("${broken}" "${convolution_kernel}" "${from}" "${to}")
  family_points("${generated}/faults/convolution_${name}.cpp" "${convolution_header}" "${broken}"
                "convolution_${name}_" "${convolution_names}" "${point}")
  set(convolution_faults ${convolution_faults} "${generated}/faults/convolution_${name}.cpp" PARENT_SCOPE)
endfunction()

convolution_fault(read_too_early 5/5/32/2/2/2/0/0 "__syncthreads();" ";")
convolution_fault(input_past_the_end 5/5/32/2/2/2/0/0 "first_y + y < input_height" "true")
convolution_fault(output_past_the_end 5/5/32/2/2/2/0/0 " && at_y < IMAGE_HEIGHT" "")
convolution_fault(rows_run_over 5/5/32/2/2/2/0/0 "at_x < IMAGE_WIDTH && " "")
convolution_fault(edge_left_out 5/5/32/2/2/2/0/0 "x < PIECE_WIDTH;" "x < TILE_WIDTH;")
convolution_fault(filter_turned 5/3/32/2/2/2/0/0 "[down * filter_width + right]" "[right * filter_height + down]")
convolution_fault(pixels_side_by_side 5/5/32/2/2/2/0/0 "threadIdx.x + x * block_size_x + right"
  "threadIdx.x * tile_size_x + x + right")

simt_faults(test_convolution_faults test_convolution_simt.cpp ${convolution_faults})
add_test(NAME kernels.convolution_faults COMMAND test_convolution_faults --faults)
set_tests_properties(kernels.convolution_simt kernels.convolution_faults PROPERTIES LABELS kernels TIMEOUT 300)
